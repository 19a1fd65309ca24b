// Goal: a fault of our own while a run goes on ends the run in order, and is told once. Method: a listener that
// throws, in the place of any such fault.
import { afterEach, expect, test } from 'vitest';
import type { LoadOptions } from '../../../../src/client/load/options.ts';
import { runLoad } from '../../../../src/client/load/run-load.ts';
import { targetOf } from '../../../../src/client/probe/apis.ts';
import { FakeServer } from './fake-server.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop();
});

test('a fault of our own ends the run, and no more requests are begun', async () => {
  const server = await FakeServer.start({}, open);
  const length = { kind: 'uniform', least: 4, most: 4 } as const;
  const options: LoadOptions = {
    target: targetOf(new URL(server.url), undefined),
    model: 'm',
    key: undefined,
    fields: {},
    extraBody: {},
    tls: { caPem: undefined, insecure: false },
    silenceMaxMs: 60_000,
    requestMaxMs: undefined,
    fresh: false,
    classes: [{ name: 'chat', share: 1, promptTokens: length, outputTokens: length }],
    classHeader: 'x-traffic-class',
    specs: new Map(),
    schedule: { kind: 'closed' },
    scheduleText: '',
    concurrency: 1,
    warmupMs: 0,
    durationMs: 600_000,
    count: 1_000,
    drainMs: 60_000,
    seed: 1,
    withIds: false,
    signal: new AbortController().signal,
    listener: {
      onExchange: () => {
        throw new Error('ours');
      },
    },
  };
  await expect(runLoad(options)).rejects.toThrow('ours');
  expect(server.seen.length).toBeLessThan(3);
});
