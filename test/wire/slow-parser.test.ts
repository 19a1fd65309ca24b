// Goal: what reading a body costs is booked on nobody: stamps are the wire's, and the client has its bytes first.
// Method: a preload makes reading JSON take 200 ms a MiB; an engine sends one event of almost 1 MiB (the longest
// that is read) and a small one behind it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';

const SLOW_PARSER = new URL('../support/slow-parser.ts', import.meta.url).pathname;
const LONG = D('x'.repeat(1_000_000));
/** What reading the long event takes at least. */
const READING_NS = 190e6;

let engine: RawEngine;
let sidecar: Sidecar;
beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({
    upstream: `http://127.0.0.1:${engine.port}`,
    nodeArgs: ['--import', SLOW_PARSER],
  });
});
afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
});

test('G2 a long event is sent on before it is read, and its stamps do not hold the reading', async () => {
  // The rule is about what reading adds: with luck the machine itself adds less than that in one of some runs.
  let aheadNs = Number.POSITIVE_INFINITY;
  let holdMaxNs = Number.POSITIVE_INFINITY;
  let behindNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i += 1) {
    engine.plan([at(0, HEAD), at(100, c(LONG)), at(110, c(D('a'))), at(120, c(FINISH + DONE), END)]);
    const client = await RawClient.open(sidecar.listenPort);
    client.request(chatRequest({ model: `long-${i}` }));
    const response = await client.response();
    expect(response.bodyBytes).toBe(LONG.length + D('a').length + (FINISH + DONE).length);
    const { record, figures } = await sidecar.record('the long event', ({ request }) => request.model === `long-${i}`);
    expect(record.answer.eventCounts.content).toBe(2);
    const [longRow, smallRow] = record.events.chunk as [number, number];
    const { receivedAtNs } = record.chunks;
    aheadNs = Math.min(aheadNs, (receivedAtNs[longRow] as number) - (receivedAtNs[0] as number));
    behindNs = Math.min(behindNs, (receivedAtNs[smallRow] as number) - (receivedAtNs[longRow] as number));
    holdMaxNs = Math.min(holdMaxNs, figures.holdMaxNs ?? Number.POSITIVE_INFINITY);
    client.close();
  }
  // From the long event's first read to its last, from that to the small one's, and from read to sent on.
  expect(aheadNs).toBeLessThan(READING_NS);
  expect(behindNs).toBeLessThan(READING_NS);
  expect(holdMaxNs).toBeLessThan(READING_NS);
});
