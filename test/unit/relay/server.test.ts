// Goal: an answer under way holds nothing of the server's framework, and its faults end nobody.
// Method: a real server whose exchanges only keep their response, looked at while it is open.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Admission } from '../../../src/relay/listener.ts';
import { createRelayServer } from '../../../src/relay/server.ts';

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0).toReversed()) each();
});

const EVENTS = ['error', 'close', 'finish', 'end'];
const countsOf = (res: ServerResponse): number[] => EVENTS.map((event) => res.listenerCount(event));

/** An open response: with what listened to it when it was admitted. */
async function openResponse(): Promise<{ res: ServerResponse; before: number[]; startCount: number }> {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  let opened: { res: ServerResponse; before: number[] } | undefined;
  let startCount = 0;
  const admission: Admission = {
    admit({ res }) {
      opened = { res, before: countsOf(res) };
      return {
        start() {
          startCount += 1;
          resolve();
        },
      };
    },
    onUnreadable: () => undefined,
    onBroken: () => false,
    onOverflow: () => undefined,
    maxConnectionCount: 10,
  };
  const { servers } = await createRelayServer(admission);
  const server = servers[0] as NonNullable<(typeof servers)[0]>;
  undo.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  undo.push(() => socket.destroy());
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  await started;
  // One turn in which the framework hangs on, and one behind it.
  await turn();
  await turn();
  if (opened === undefined) throw new Error('nothing was admitted');
  return { ...opened, startCount };
}

test('what the framework listened to on a response is gone once the exchange has begun', async () => {
  const { res, before, startCount } = await openResponse();
  const [errorCount = 0, ...others] = countsOf(res);
  expect([errorCount, others, startCount]).toEqual([1, before.slice(1), 1]);
});

test('an error told on a response ends nobody', async () => {
  const { res } = await openResponse();
  expect(res.emit('error', new Error('write after end'))).toBe(true);
});
