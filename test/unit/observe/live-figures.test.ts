// Goal: what the sinks are told while streams run adds up, to the unit, to the figures of their reports.
// Method: random streams (several tokens a read, holes, blocked sockets, pauses, late flushes) from a real tape through
// reader and observer; the seed is printed when a run fails.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report, Sink } from '../../../src/judge/report.ts';
import { TAINT_CAUSES, type TaintCause } from '../../../src/measure/figures.ts';
import { createTape } from '../../../src/tape/layout.ts';
import { TapeReader } from '../../../src/tape/reader.ts';
import { TapeWriter } from '../../../src/tape/writer.ts';
import { createStage, DONE, event, FINISH, OPENED_AT_NS, STREAM_FIELDS, text } from './tape-play.ts';
import { fuzz } from '../../support/fuzz.ts';

interface Tally {
  readonly sums: Record<'received' | 'flushed', { count: number; sumNs: number }>;
  readonly tainted: Record<TaintCause, number>;
  stalledCount: number;
  coalescedCount: number;
  ttftNs: number | undefined;
  ttfoNs: number | undefined;
}

function tallySink(): Sink & { readonly tally: Tally; report: Report | undefined } {
  const tally: Tally = {
    sums: { received: { count: 0, sumNs: 0 }, flushed: { count: 0, sumNs: 0 } },
    tainted: Object.fromEntries(TAINT_CAUSES.map((cause) => [cause, 0])) as Record<TaintCause, number>,
    stalledCount: 0,
    coalescedCount: 0,
    ttftNs: undefined,
    ttfoNs: undefined,
  };
  return {
    name: 'tally',
    tally,
    report: undefined,
    onFirstToken: (_, ttftNs) => void (tally.ttftNs = ttftNs),
    onFirstVisibleToken: (_, ttfoNs) => void (tally.ttfoNs = ttfoNs),
    onGap(_, point, gapNs, stalled) {
      tally.sums[point].count += 1;
      tally.sums[point].sumNs += gapNs;
      if (stalled) tally.stalledCount += 1;
    },
    onTaintedGap: (_, cause) => void (tally.tainted[cause] += 1),
    onCoalesced: (_, count) => void (tally.coalescedCount += count),
    onReport(report) {
      this.report = report;
    },
  };
}

const piece = fc.constantFrom(
  text('a'),
  text('b') + text('c'),
  event({ reasoning_content: 'r' }),
  event({ content: '' }),
  ': ping\n\n',
  'data: {"cho',
);
const step = fc.record({
  afterNs: fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 400_000_000 }), fc.constant(0)),
  body: piece,
  boundNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000_000 })),
  /** What happens to this chunk on its way. */
  fate: fc.constantFrom('plain', 'plain', 'plain', 'late flush', 'no flush', 'lost', 'no bytes'),
  also: fc.constantFrom('nothing', 'nothing', 'blocked', 'unblocked', 'pause'),
});

test('live counts are the figures of the report', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), (steps) => {
      const sink = tallySink();
      const { handler, faults } = createStage({ sinks: [sink] });
      const tape = createTape(2 ** 18);
      const writer = new TapeWriter(tape);
      let atNs = OPENED_AT_NS;
      writer.open({
        exchange: 1,
        openedAtNs: atNs,
        openedErrorBoundNs: 0,
        epochMs: 0,
        routeIndex: 0,
        clientPort: 1,
        localPort: 1,
        clientAddress: '',
        method: 'POST',
        target: '/v1/chat/completions',
        fields: [],
        upgrade: false,
        http2: false,
        trace: undefined,
      });
      writer.mark(1, 'uploadEnd', atNs, 0);
      writer.head({ exchange: 1, receivedAtNs: atNs, status: 200, framing: 'chunked', fields: STREAM_FIELDS });
      let readAtNs = atNs;
      let seq = 0;
      let waiting: number[] = [];
      const chunk = (body: string, boundNs: number, fate: string): void => {
        const bytes = Buffer.from(body);
        const entry = {
          exchange: 1,
          seq,
          receivedAtNs: readAtNs,
          writtenAtNs: atNs,
          errorBoundNs: boundNs,
          byteCount: bytes.length,
          queuedBytes: 0,
        };
        if (fate !== 'lost') writer.chunk({ ...entry, bytes: fate === 'no bytes' ? undefined : bytes });
        atNs += 2_000;
        if (fate === 'late flush') waiting.push(seq);
        else if (fate === 'plain' || fate === 'no bytes') {
          for (const one of [...waiting, seq]) writer.flush(1, one, atNs);
          waiting = [];
        }
        seq += 1;
      };
      for (const { afterNs, body, boundNs, fate, also } of steps) {
        atNs += afterNs;
        // Chunks of one turn share the stamp of its read, whatever the clock says by then.
        if (afterNs > 0) readAtNs = atNs;
        if (also === 'blocked') writer.mark(1, 'blockedFrom', atNs);
        if (also === 'unblocked') writer.mark(1, 'blockedTo', atNs);
        chunk(body, boundNs, fate);
        if (also === 'pause') writer.pause(atNs - 1_000_000, atNs, 'gc');
      }
      atNs += 1_000_000;
      readAtNs = atNs;
      chunk(`\n\n${FINISH}${DONE}`, 0, 'plain');
      writer.end({
        exchange: 1,
        atNs,
        wireEnd: 'complete',
        reason: '',
        answeredByUs: false,
        chunkCount: seq,
        receivedBytes: 0,
        deliveredBytes: 0,
        requestBytes: 0,
      });
      new TapeReader(tape).drain(handler, 10_000);
      expect(faults).toEqual([]);

      const { tally, report } = sink;
      const { gapsReceived, gapsFlushed, stallCount, coalescedCount, taintedCounts, ttftNs, ttfoNs } = (
        report as Report
      ).figures;
      expect(tally).toEqual({
        sums: {
          received: { count: gapsReceived.count, sumNs: gapsReceived.sumNs },
          flushed: { count: gapsFlushed.count, sumNs: gapsFlushed.sumNs },
        },
        tainted: taintedCounts,
        stalledCount: stallCount,
        coalescedCount,
        ttftNs,
        ttfoNs,
      });
      if (stallCount > 0) reached.add('stall');
      if (coalescedCount > 0) reached.add('coalesced');
      if (gapsFlushed.count > 0) reached.add('flushed');
      if (ttftNs !== ttfoNs) reached.add('reasoning');
      for (const cause of TAINT_CAUSES) if (taintedCounts[cause] > 0) reached.add(cause);
    }),
    fuzz(400),
  );
  const wanted = ['stall', 'coalesced', 'flushed', 'reasoning', 'gc', 'loop', 'backpressure'];
  expect(wanted.filter((what) => !reached.has(what))).toEqual([]);
});
