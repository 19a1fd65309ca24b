// Goal: what reading a body costs is booked on nobody: stamps are the wire's, and the client has its bytes first.
// Method: a preload makes reading JSON take 200 ms a MiB; an engine sends one event of almost 1 MiB (the longest
// that is read) and a small one behind it.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, D, DONE, END, FINISH, HEAD } from '../support/script.ts';

const SLOW_PARSER = new URL('../support/slow-parser.ts', import.meta.url).pathname;
const LONG = D('x'.repeat(1_000_000));
/** What reading the long event takes at least. */
const READING_NS = 190e6;

const bench = useBench({ nodeArgs: ['--import', SLOW_PARSER] });

test('G2 a long event is sent on before it is read, and its stamps do not hold the reading', async () => {
  // The rule is about what reading adds: with luck the machine itself adds less than that in one of some runs.
  let aheadNs = Number.POSITIVE_INFINITY;
  let holdMaxNs = Number.POSITIVE_INFINITY;
  let behindNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i += 1) {
    const script = [at(0, HEAD), at(100, c(LONG)), at(110, c(D('a'))), at(120, c(FINISH + DONE), END)];
    const run = await bench.run({ script });
    expect(run.response.bodyBytes).toBe(LONG.length + D('a').length + (FINISH + DONE).length);
    const { record, figures } = await bench.recordOf(run);
    expect(record.answer.eventCounts.content).toBe(2);
    const [longRow, smallRow] = record.events.chunk as [number, number];
    const { receivedAtNs } = record.chunks;
    aheadNs = Math.min(aheadNs, (receivedAtNs[longRow] as number) - (receivedAtNs[0] as number));
    behindNs = Math.min(behindNs, (receivedAtNs[smallRow] as number) - (receivedAtNs[longRow] as number));
    holdMaxNs = Math.min(holdMaxNs, figures.holdMaxNs ?? Number.POSITIVE_INFINITY);
  }
  // From the long event's first read to its last, from that to the small one's, and from read to sent on.
  expect(aheadNs).toBeLessThan(READING_NS);
  expect(behindNs).toBeLessThan(READING_NS);
  expect(holdMaxNs).toBeLessThan(READING_NS);
});
