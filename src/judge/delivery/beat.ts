// A beat that is too even: what spaces events out again gives them out by a timer, one at a time. Engines can be as
// even for a while, so a beat accuses nobody; it only forbids to say that nothing was held. Two things betray that
// it may be a hop's: the head waited for it, or the end of the answer keeps to it, which an engine has at once.
import { headClassOf } from '../../record/head-class.ts';
import { EVENT_KINDS } from '../../record/kinds.ts';
import { headCameWithText } from './head.ts';
import { ratio, type Shape } from './shape.ts';
import { medianOf } from '../rank.ts';

const BEATS_LEAST = 20;
const SINGLE_LEAST_RATIO = 0.9;
/** Below this a beat cannot be told from what comes fast. */
const BEAT_LEAST_NS = 5_000_000;
const OFF_BEAT_NS = 1_500_000;
const OFF_BEAT_PARTS = 20;
/** A busy machine spoils some, and so does an engine that stalls behind the hop. */
const ON_BEAT_RATIO = 0.6;
/** A head that waited for less says little: many engines are as quick with both. */
const HEAD_WAIT_LEAST_NS = 200_000_000;
const END_BEATS_LEAST = 0.7;
const END_BEATS_MOST = 1.5;

/** Whether so even a stream may be a hop's own beat. */
export function isPacedMaybe(shape: Shape): boolean {
  const { bursts, inner, record } = shape;
  // Several choices are one event each to an engine's step, and to such a hop so many beats.
  const singles = inner.filter(({ eventCount }) => eventCount === 1);
  if (inner.length < BEATS_LEAST || ratio(singles.length, inner.length) < SINGLE_LEAST_RATIO) return false;
  const beatNs = medianOf(inner.map(({ silenceNs }) => silenceNs));
  if (beatNs < BEAT_LEAST_NS) return false;
  const offNs = Math.max(OFF_BEAT_NS, beatNs / OFF_BEAT_PARTS);
  const isOnBeat = (silenceNs: number): boolean => Math.abs(silenceNs - beatNs) <= offNs;
  if (ratio(inner.filter(({ silenceNs }) => isOnBeat(silenceNs)).length, inner.length) < ON_BEAT_RATIO) return false;
  // An engine that is known to keep its head until there is text has kept it itself.
  const isKept = headClassOf(record.engine, record.answer.dialect) === 'first_token';
  const waitedNs = bursts[0]?.silenceNs ?? 0;
  if (waitedNs >= HEAD_WAIT_LEAST_NS && headCameWithText(shape) && !isKept) return true;
  const endNs = endAfterNs(shape, bursts.at(-1)?.endAtNs ?? 0);
  return (
    endNs.length >= 2 && endNs.every((each) => each >= END_BEATS_LEAST * beatNs && each <= END_BEATS_MOST * beatNs)
  );
}

/** The silences before what comes after the last text: a finish, counts, the end mark. */
function endAfterNs({ record: { chunks, events } }: Shape, lastTextAtNs: number): number[] {
  const silences: number[] = [];
  let beforeNs = lastTextAtNs;
  for (const [index, row] of events.chunk.entries()) {
    const atNs = chunks.receivedAtNs[row] ?? 0;
    if (atNs <= lastTextAtNs || !ENDS.has(events.kind[index] ?? -1)) continue;
    silences.push(atNs - beforeNs);
    beforeNs = atNs;
  }
  return silences;
}

const ENDS: ReadonlySet<number> = new Set(
  (['finish', 'usage', 'done'] as const).map((kind) => EVENT_KINDS.indexOf(kind)),
);
