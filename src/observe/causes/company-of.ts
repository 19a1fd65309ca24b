// What the other streams of a route did around one stall of one of them. Counts and medians; no opinion.
import { COMPANY_LOOKED_AT_MAX_COUNT } from '../../base/cause-limits.ts';
import { defined } from '../../measure/defined.ts';
import { medianOf } from '../../judge/rank.ts';
import type { StallArrival, StallCompany } from '../../record/stall-context.ts';
import { togetherNs, type SeenAround, type StallMoment } from './pending-stall.ts';
import type { TrackedExchange } from './tracked-exchange.ts';

/** So many of the others are asked whether they go in step; it is a property of the engine, not of a stream. */
const STEPS_COMPARED_COUNT = 4;
const IN_STEP_RATIO = 0.7;
const COMPARED_LEAST_COUNT = 4;
/** Of so many reads, this part nearly at once after another is a bunched stream. */
const BUNCHED_READS_LEAST_COUNT = 8;
const BUNCHED_RATIO = 0.3;
/** A silence this many times the stall's length, ended by its end, was another one: somebody came back. */
const RESUMED_FACTOR = 2;

export interface RouteThen {
  /** Streams under generation: on average since this one's first token, and when the stall ended, this one included. */
  readonly runningBefore: number;
  readonly runningAt: number;
  readonly contextAtBytes: number;
  readonly quiet: { readonly running: number; readonly stepNs: number } | undefined;
  readonly plainStepNs: number | undefined;
  /** Streams that ended last. */
  readonly departed: readonly TrackedExchange[];
  costOf(bytes: number): number | undefined;
}

interface Tally {
  streamCount: number;
  pausedCount: number;
  wentOnCount: number;
  resumedTogetherCount: number;
  burstCount: number;
  bunchedCount: number;
  readonly silencesNs: number[];
  readonly passesNs: number[];
  readonly usualsNs: number[];
  readonly lastGapsNs: number[];
}

export function companyOf(
  own: TrackedExchange,
  moment: StallMoment,
  others: Iterable<TrackedExchange>,
  route: RouteThen,
): SeenAround {
  const tally: Tally = {
    streamCount: 0,
    pausedCount: 0,
    wentOnCount: 0,
    resumedTogetherCount: 0,
    burstCount: 0,
    bunchedCount: 0,
    silencesNs: [],
    passesNs: [],
    usualsNs: [],
    lastGapsNs: [],
  };
  const resumed: StallArrival[] = [];
  const compared: boolean[] = [];
  let lookedAt = 0;
  for (const other of others) {
    if (other === own) continue;
    lookedAt += 1;
    if (lookedAt > COMPANY_LOOKED_AT_MAX_COUNT) break;
    if (other.firstAtNs === undefined || other.firstAtNs >= moment.startAtNs) continue;
    const back = comingBack(own, other, moment, route);
    if (back !== undefined) resumed.push(back);
    if (!tallyOther(tally, other, moment)) continue;
    if (compared.length >= STEPS_COMPARED_COUNT) continue;
    const together = isInStep(own, other);
    if (together !== undefined) compared.push(together);
  }
  const endedWithinCount = route.departed.filter((other) => endedWithin(other, moment)).length;
  const company = companyFrom(tally, own, route, compared);
  return { company: endedWithinCount === 0 ? company : { ...company, endedWithinCount }, resumed };
}

function companyFrom(tally: Tally, own: TrackedExchange, route: RouteThen, compared: readonly boolean[]): StallCompany {
  const { silencesNs, usualsNs, passesNs, lastGapsNs, ...counts } = tally;
  const median = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : Math.round(medianOf(values));
  return {
    ...counts,
    ...defined({
      inStepRatio: compared.length === 0 ? undefined : compared.filter(Boolean).length / compared.length,
      wentOnLastGapP50Ns: median(lastGapsNs),
      silenceP50Ns: median(silencesNs),
      usualP50Ns: median(usualsNs),
      passP50Ns: median(passesNs),
      quietRunning: route.quiet?.running,
      quietStepNs: route.quiet?.stepNs,
      plainStepNs: route.plainStepNs,
    }),
    runningBefore: route.runningBefore,
    runningAt: route.runningAt,
    contextBeforeBytes: own.contextBeforeBytes,
    contextAtBytes: route.contextAtBytes,
  };
}

/** False where it was not under way when the gap began: silent for long before. */
function tallyOther(tally: Tally, other: TrackedExchange, { startAtNs, endAtNs }: StallMoment): boolean {
  const { ring, habit } = other;
  if (habit === undefined) return false;
  const { usualNs, passNs } = habit;
  const toleranceNs = togetherNs(endAtNs - startAtNs);
  const next = ring.firstFrom(startAtNs + toleranceNs);
  const isRemembered = next > ring.oldest;
  const beforeNs = isRemembered ? ring.atNs(next - 1) : startAtNs;
  if (startAtNs - beforeNs > Math.max(endAtNs - startAtNs, 4 * passNs)) return false;
  tally.streamCount += 1;
  tally.usualsNs.push(usualNs);
  tally.passesNs.push(passNs);
  if (habit.readCount >= BUNCHED_READS_LEAST_COUNT && habit.nearZeroRatio >= BUNCHED_RATIO) tally.bunchedCount += 1;
  const inside = ring.firstFrom(endAtNs - toleranceNs) - next;
  if (inside >= 2) {
    tally.wentOnCount += 1;
    const last = ring.firstFrom(endAtNs + toleranceNs) - 1;
    if (last > ring.oldest) tally.lastGapsNs.push(ring.atNs(last) - ring.atNs(last - 1));
  } else if (inside === 0) {
    tally.pausedCount += 1;
    if (next >= ring.count) return true;
    if (isRemembered) tally.silencesNs.push(ring.atNs(next) - beforeNs);
    if (ring.atNs(next) > endAtNs + toleranceNs) return true;
    tally.resumedTogetherCount += 1;
    if (isBurst(other, next, ring.atNs(next) - beforeNs)) tally.burstCount += 1;
  }
  return true;
}

/** It read on while this one was silent, up to its end. */
function endedWithin({ ring, lastReadAtNs }: TrackedExchange, { startAtNs, endAtNs }: StallMoment): boolean {
  if (lastReadAtNs <= startAtNs || lastReadAtNs >= endAtNs) return false;
  return ring.count - ring.firstFrom(startAtNs + togetherNs(endAtNs - startAtNs)) >= 2;
}

/** What came at once was half of what a silence so long had missed, or more. */
function isBurst({ ring, habit }: TrackedExchange, read: number, silenceNs: number): boolean {
  const { usualNs } = habit ?? { usualNs: 0 };
  const missedCount = usualNs === 0 ? 0 : silenceNs / usualNs - 1;
  let events = ring.events(read);
  for (let next = read + 1; next < ring.count && ring.atNs(next) - ring.atNs(next - 1) < usualNs / 2; next += 1) {
    events += ring.events(next);
  }
  return events >= 3 && events - 1 >= missedCount / 2;
}

/** A stream whose silence was of another kind, and ended while this one stalled. */
function comingBack(
  own: TrackedExchange,
  other: TrackedExchange,
  { startAtNs, endAtNs }: StallMoment,
  route: RouteThen,
): StallArrival | undefined {
  const { ring } = other;
  const gapNs = endAtNs - startAtNs;
  const read = ring.firstFrom(startAtNs + 1);
  if (read <= ring.oldest || read >= ring.count) return undefined;
  const silenceNs = ring.atNs(read) - ring.atNs(read - 1);
  const isBack = ring.atNs(read) <= endAtNs + togetherNs(gapNs) && silenceNs >= RESUMED_FACTOR * gapNs;
  // Who waited for its own client comes back with what was written meanwhile.
  if (!isBack || other.wasBlocked(ring.atNs(read - 1), ring.atNs(read))) return undefined;
  const promptBytes = other.contextBytes;
  return {
    sentAtNs: ring.atNs(read - 1) - own.openedAtNs,
    firstTokenAtNs: ring.atNs(read) - own.openedAtNs,
    promptBytes,
    resumedAfterNs: silenceNs,
    ...defined({ costNs: route.costOf(promptBytes) }),
  };
}

/** The latest passes of both ended at the same moments; undefined where too few can be compared. */
function isInStep(own: TrackedExchange, other: TrackedExchange): boolean | undefined {
  const { ring } = own;
  const nearNs = Math.max(1e6, (own.habit?.passNs ?? 0) / 20);
  let met = 0;
  let asked = 0;
  for (let read = Math.max(ring.oldest, other.ring.oldest) + 1; read < ring.count; read += 1) {
    const atNs = ring.atNs(read);
    if (atNs < other.ring.atNs(other.ring.oldest)) continue;
    asked += 1;
    const near = other.ring.firstFrom(atNs - nearNs);
    if (near < other.ring.count && other.ring.atNs(near) <= atNs + nearNs) met += 1;
  }
  return asked < COMPARED_LEAST_COUNT ? undefined : met >= IN_STEP_RATIO * asked;
}
