// Held until the answer is over: a long silence, and then all of the text at once with the end behind it.
import { commonNumbers, ratio, toMs, type Finding, type Shape } from './shape.ts';
import { sumOf } from '../sum.ts';

/** A wait below this may be the engine's first step, or one lost packet. */
const WAIT_LEAST_NS = 500_000_000;
/** All text within this part of the wait. */
const RUN_PARTS = 10;
/** Fewer events than these may be a short answer behind one stall; with a stated length fewer are enough. */
const EVENTS_LEAST = 48;
const EVENTS_LEAST_WITH_LENGTH = 16;
/** No engine writes ten thousand events a second to one reader. A slow link brings a whole body slower. */
const INSTANT_EVENT_NS = 100_000;
const BULK_EVENT_NS = 250_000;
const STATED_EVENT_NS = 500_000;
const BULK_EVENTS_PER_BURST = 16;
/** The first flight of a bulk of bytes is full; an engine that is only fast begins with its first token. */
const BULK_FIRST_EVENTS = 24;
/** Text that was really made in the wait took the engine at least this for a token. */
const MADE_EVENT_NS = 1_000_000;

/** How long an event of the run may have taken. */
function mostEventNs({ counts }: Shape, lengthStated: boolean): number {
  if (lengthStated) return STATED_EVENT_NS;
  const startsFull =
    (counts[0] ?? 0) >= BULK_FIRST_EVENTS && ratio(sumOf(counts), counts.length) >= BULK_EVENTS_PER_BURST;
  return startsFull ? BULK_EVENT_NS : INSTANT_EVENT_NS;
}

export function judgeUntilEnd(shape: Shape): Finding | undefined {
  const { record, arrivals, bursts, counts } = shape;
  const first = bursts[0];
  const last = bursts.at(-1);
  const endAtNs = record.marks.upstreamEndAtNs;
  if (first === undefined || last === undefined || endAtNs === undefined) return undefined;
  // A reader that left early has not seen the end. (An answer out of a cache was never slow; `age` says nothing,
  // for a hop that collects an answer counts that time as age.)
  if (record.end.wire !== 'complete' || first !== arrivals.bursts[0]) return undefined;
  const eventCount = sumOf(counts);
  const lengthStated = record.response.hopSigns?.lengthBytes !== undefined;
  if (eventCount < (lengthStated ? EVENTS_LEAST_WITH_LENGTH : EVENTS_LEAST)) return undefined;
  const waitNs = first.silenceNs;
  const runNs = last.endAtNs - first.atNs;
  if (waitNs < Math.max(WAIT_LEAST_NS, eventCount * MADE_EVENT_NS)) return undefined;
  if (runNs * RUN_PARTS > waitNs || (endAtNs - last.endAtNs) * RUN_PARTS > waitNs) return undefined;
  if (runNs > eventCount * mostEventNs(shape, lengthStated)) return undefined;
  const headAtNs = record.marks.headReceivedAtNs;
  const headWithText = headAtNs !== undefined && first.atNs - headAtNs < waitNs / RUN_PARTS;
  return {
    word: 'holds',
    way: arrivals.coded ? 'compression' : 'until_end',
    signs: [
      'all_at_the_end',
      ...(headWithText ? ['head_with_text'] : []),
      ...(arrivals.coded ? ['content_coding'] : []),
      ...(lengthStated ? ['length_stated'] : []),
    ],
    numbers: { ...commonNumbers(shape), waitMs: toMs(waitNs), runMs: toMs(runNs) },
    ample: lengthStated || arrivals.coded || eventCount >= 2 * EVENTS_LEAST,
  };
}
