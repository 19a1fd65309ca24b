// Goal: a client that leaves, by FIN or RST and in whatever phase, is known to the engine at once (T01).
// Method: a raw client and a raw engine on one clock; many departures a cell, compared by their median with room for
// a busy machine. The strict figures (2 ms at the median, 10 ms at p99) are the bench's: npm run bench abort.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { useBench } from '../support/bench.ts';
import { flood, leave, MuteEngine, untilStill, type Departure } from '../support/departures.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, END, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import { sleep } from '../support/signal.ts';

const RUNS = Number(process.env['ABORT_RUNS'] ?? 25);
const MEDIAN_MAX_MS = 20;
const WORST_MAX_MS = 1_000;

function expectAtOnce(tookMs: readonly number[]): void {
  const sorted = tookMs.toSorted((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(MEDIAN_MAX_MS);
  expect(sorted.at(-1)).toBeLessThanOrEqual(WORST_MAX_MS);
}

interface Cell extends Departure {
  readonly phase: string;
  readonly runs?: number;
}

const CELLS: readonly Cell[] = [
  { phase: 'while it uploads', script: [], until: () => sleep(5), sent: (whole) => whole.subarray(0, -5) },
  { phase: 'in prefill', script: [], until: () => sleep(5) },
  { phase: 'after the head', script: [at(0, HEAD)], until: (client) => client.responseHead() },
  {
    phase: 'mid-stream',
    script: [at(0, HEAD), ...Array.from({ length: 100 }, (_, index) => at(index * 10, c(D('a'))))],
    until: (client) => client.bodyBytes(D('a').length * 2),
  },
  { phase: 'while back-pressure holds the stream', script: flood, until: untilStill, runs: 4 },
];

describe.each(['fin', 'rst'] as const)('by %s', (how) => {
  const bench = useBench();

  test.each(CELLS)('$phase', async ({ runs = RUNS, ...departure }) => {
    const tookMs: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      tookMs.push((await leave(bench.engine, bench.sidecar.listenPort, how, departure)) / 1e6);
    }
    expectAtOnce(tookMs);
  });

  test('F25 when the engine is done but the client does not have it all, it is an abort all the same', async ({
    skip,
  }) => {
    const LAST_BLOCKS = 14;
    const block = c(D('x'.repeat(4_000)));
    const blockBytes = D('x'.repeat(4_000)).length;
    let asked = 0;
    /** A client that reads nothing leaves; the engine had so many blocks for it, and an end. */
    const leaveUnread = async (blocks: number): Promise<StreamRecord> => {
      asked += 1;
      const model = `unread-${how}-${asked}`;
      const plan = bench.engine.plan(async (exchange) => {
        await exchange.write(HEAD);
        const single = blocks - LAST_BLOCKS;
        for (let count = 0; count < single && exchange.connection.goneAtNs === undefined; count += 1)
          await exchange.write(block);
        // rubato stops reading once the kernel refuses a byte, so what stays with us comes in one read.
        await exchange.write(
          Buffer.concat([...Array.from({ length: LAST_BLOCKS }, () => Buffer.from(block)), Buffer.from(END)]),
        );
      });
      const client = await bench.client();
      client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
      await client.responseHead();
      client.pause();
      await sleep(400);
      client[how]();
      const { record } = await bench.sidecar.record(model, ({ request }) => request.model === model);
      const { receivedBytes, deliveredBytes } = record.response;
      expect(record.end.wire).toBe(deliveredBytes < receivedBytes ? 'client_abort' : 'complete');
      return record;
    };
    // So much the kernel takes for a client that reads nothing, which varies a little; a few blocks more stay with us.
    let blocks = Math.round((await leaveUnread(5_000)).response.deliveredBytes / blockBytes) + 6;
    let wasWhole = false;
    for (let attempt = 0; attempt < 20 && !wasWhole; attempt += 1) {
      const { receivedBytes, deliveredBytes } = (await leaveUnread(blocks)).response;
      wasWhole = receivedBytes === blocks * blockBytes && deliveredBytes < receivedBytes;
      if (deliveredBytes === receivedBytes) blocks += 9;
      else if (!wasWhole) blocks = Math.round(deliveredBytes / blockBytes) + 6;
    }
    // Each end was checked; how much the kernel takes can vary more than what stays with us.
    skip(!wasWhole, 'the kernel never took all but the last read');
  });
});

describe('while rubato connects', () => {
  let mute: MuteEngine;
  let sidecar: Sidecar;

  beforeAll(async () => {
    mute = await MuteEngine.start();
    sidecar = await Sidecar.start({ upstream: `https://127.0.0.1:${mute.port}` });
    // It looks once whether its upstream is there; that connection is none of ours.
    await sleep(500);
  });
  afterAll(async () => {
    mute.stop();
    await sidecar.stop();
  });

  test.each(['fin', 'rst'] as const)('by %s', async (how) => {
    const tookMs: number[] = [];
    for (let run = 0; run < RUNS; run += 1) tookMs.push((await mute.leave(sidecar.listenPort, how)) / 1e6);
    expectAtOnce(tookMs);
  });
});
