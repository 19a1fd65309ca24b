// Goal: what rubato itself holds for a client that does not read is bounded, however much the engine has for it, and
// the time in which it did not read is not booked on the engine (T13).
// Method: clients that stop reading under a flood; what rubato held by its own stamps, the process's memory before and
// after, the engine's bytes, the gaps of the records. SLOW_READERS and SLOW_READER_MIB make it as large as wanted
// (20 clients of 256 MiB in the reference).
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD, type EngineExchange, type Plan } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const CLIENTS = Number(process.env['SLOW_READERS'] ?? 6);
const ANSWER_BYTES = Number(process.env['SLOW_READER_MIB'] ?? 24) * MIB;
/** In user space: what one read brought, and a few bytes of framing. */
const HELD_MAX_BYTES = 65 * KIB;
/** What a process grows by for reasons of its own: it reads all that text on its other thread, and collects late. */
const SLACK_BYTES = 64 * MIB;
const bench = useBench();

const EVENT = c(D('x'.repeat(16_000)));

async function flood(exchange: EngineExchange): Promise<void> {
  await exchange.write(HEAD);
  for (let sent = 0; sent < ANSWER_BYTES; sent += EVENT.length) await exchange.write(EVENT);
  await exchange.write(c(DONE), END);
}

const pathOf = (index: number): string => `/slow-${index}/v1/chat/completions`;

const longMs = ANSWER_BYTES > 32 * MIB ? 600_000 : 60_000;

test('clients that do not read cost next to nothing, and get all of it when they do', { timeout: longMs }, async () => {
  // The first exchanges make the process grow for good; they are not what is measured.
  for (let count = 0; count < 20; count += 1)
    await bench.run({
      script: [{ atMs: 0, bytes: Buffer.concat([Buffer.from(HEAD), c(D('a')), c(DONE), Buffer.from(END)]) }],
    });
  const plans: Plan[] = [];
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => bench.client()));
  for (const [index, client] of clients.entries()) {
    const plan = bench.engine.plan(flood);
    plans.push(plan);
    // Told apart by what is in the head: under a flood the copy of a body may be left out of the tape.
    client.request(chatRequest({ target: pathOf(index), lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    await client.responseHead();
    client.pause();
  }
  const exchanges = await Promise.all(plans.map((plan) => plan.exchange));
  const beforeBytes = bench.sidecar.rssBytes();
  const written = (): number => exchanges.reduce((sum, exchange) => sum + exchange.writtenBytes, 0);
  for (let before = -1; before !== written();) {
    before = written();
    await sleep(400);
  }
  // The engine is held back: what it got rid of lies in kernels, not with us.
  expect(exchanges.every(({ writtenBytes }) => writtenBytes < ANSWER_BYTES)).toBe(true);
  const grownBytes = bench.sidecar.rssBytes() - beforeBytes;
  expect(grownBytes).toBeLessThan(CLIENTS * HELD_MAX_BYTES + SLACK_BYTES);
  await sleep(1_000);
  for (const client of clients) client.resume();
  const responses = await Promise.all(clients.map((client) => client.response(0, longMs)));
  expect(responses.map(({ complete }) => complete)).toEqual(clients.map(() => true));
  expect(responses.map(({ sha256 }) => sha256)).toEqual(exchanges.map(({ answer }) => answer?.sha256));
  let blockedCount = 0;
  for (const index of clients.keys()) {
    const { record, figures } = await bench.sidecar.record('it', ({ request }) => request.path === pathOf(index));
    expect(record.end.outcome).toBe('ok');
    expect(Math.max(...(record.chunks?.queuedBytes ?? [Infinity]))).toBeLessThanOrEqual(HELD_MAX_BYTES);
    // A second of silence that was the reader's: never a stall or a gap of the engine's. Where a flood left text out
    // of the tape nothing is said of the gaps around it.
    if (figures.taintedCounts.backpressure === 0) expect(record.doubts).toContain('tape_bytes');
    blockedCount += figures.taintedCounts.backpressure;
    expect(figures.stalls.filter(({ gapNs }) => gapNs > 900e6)).toEqual([]);
  }
  expect(blockedCount).toBeGreaterThan(0);
});
