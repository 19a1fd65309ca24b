// Goal: at the drain limit every exchange gets its end, also one that is over but for bytes its client
// does not read.
// Method: WebSockets that the engine closed behind more bytes than the kernel takes, clients that do not
// read, SIGTERM.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { head, requestOf } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const COUNT = 24;
const STEP_BYTES = 64_000;
const WEBSOCKET = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'];
const bench = useBench({ args: ['--drain', '0.5'] });

test('a tunnel that waits for its last bytes to leave is ended and recorded', async () => {
  for (let index = 0; index < COUNT; index += 1) {
    // Some of these sizes lie just above what the kernel takes, so that only a little waits with us.
    const totalBytes = 2_500_000 + index * STEP_BYTES;
    bench.engine.plan(async (exchange) => {
      await exchange.write(head('101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'));
      for (let sent = 0; sent < totalBytes && exchange.connection.goneAtNs === undefined; sent += STEP_BYTES)
        await exchange.write(Buffer.alloc(STEP_BYTES));
      exchange.fin();
    });
    const client = await bench.client();
    client.request(requestOf({ target: `/ws/${index}`, lines: WEBSOCKET }));
    await client.responseHead();
    client.pause();
  }
  await sleep(500);
  bench.sidecar.signal('SIGTERM');
  await bench.sidecar.untilExit(5_000);
  expect(bench.sidecar.exit?.code).toBe(0);
  await poll('all records', () => (bench.sidecar.records().length === COUNT ? true : undefined), 1_000);
});
