// Held only at the beginning: the response head came with the first text, long after the request, though this
// engine is known to send its head before it begins. Of any other engine that says nothing, for many keep their
// head until there is text. Says as well, for the rule that clears, that a head came late.
import { isSurelyEarly } from '../../record/head-class.ts';
import { EVENT_KINDS } from '../../record/kinds.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import { standingSinceNs } from '../pauses.ts';
import { medianOf } from '../rank.ts';
import { commonNumbers, toMs, type Finding, type Shape } from './shape.ts';

/** From here on it is worth a word that there was a head only with the text. */
const NOTED_LEAST_NS = 100_000_000;
const WITH_TEXT_NS = 3_000_000;
/** Head and text, our own lateness included: a step of the engine lies between the two, and takes longer. */
const WITH_TEXT_MOST_NS = 5_000_000;
/**
 * One packet that was lost at the beginning keeps head and text alike: a lone packet is sent again after 200 ms
 * and two round trips, and the request itself took one.
 */
const LOST_NS = 250_000_000;
const LOST_ROUND_TRIPS = 4;
/** A longer way is so uneven that the text catches up with its head; and so may be one that nobody has measured. */
const FAR_NS = 10_000_000;
/**
 * A network that stood still keeps the text of all that time as well. What took the engine a small part of it is next
 * to impossible to be kept alone; else it takes a wait twice as long.
 */
const STOOD_STILL = 2;
const LITTLE_PARTS = 6;
/** An answer that was there already is over at once; then what kept the head was no engine at all. */
const BURSTS_LEAST = 8;
const BURSTS_AMPLE = 20;
const LIVE_LEAST_NS = 100_000_000;

const ROLE = EVENT_KINDS.indexOf('role');
/** Where the engines that are meant here write nothing before their first output: the role comes with it. */
const SILENT_BEFORE: ReadonlySet<string> = new Set(['openai-chat', 'openai-completions']);

export function judgeHead(shape: Shape): Finding | undefined {
  const { record, bursts } = shape;
  if (!isSurelyEarly(record.engine, record.answer.dialect) || bursts.length < BURSTS_LEAST) return undefined;
  const [first, last] = [bursts[0], bursts.at(-1)];
  const { headReceivedAtNs: headAtNs, requestSentAtNs: sentAtNs } = record.marks;
  if (first === undefined || last === undefined || headAtNs === undefined || sentAtNs === undefined) return undefined;
  // What came before the first burst that we can judge by was our own side's doing.
  if (first !== shape.arrivals.bursts[0] || last.endAtNs - first.atNs < LIVE_LEAST_NS) return undefined;
  if (record.response.hopSigns?.cached === true || record.connection?.retried === true) return undefined;
  const waitNs = headAtNs - sentAtNs;
  const leastNs = leastWaitNs(shape);
  const lateNs = latenessNs(record, outputAtNs(shape));
  if (outputAtNs(shape) - headAtNs + lateNs > WITH_TEXT_MOST_NS || waitNs - lateNs < leastNs) return undefined;
  return {
    word: 'holds',
    way: 'head',
    signs: ['head_only_with_text', 'engine_sends_it_early'],
    numbers: { ...commonNumbers(shape), headWaitMs: toMs(waitNs) },
    ample: waitNs >= 2 * leastNs && bursts.length >= BURSTS_AMPLE,
  };
}

/** Many engines keep their head until there is text, and so do some hops: about the text it says nothing. */
export function headCameWithText(shape: Shape): boolean {
  const { record, bursts } = shape;
  const headAtNs = record.marks.headReceivedAtNs;
  if (headAtNs === undefined || (bursts[0]?.silenceNs ?? 0) < NOTED_LEAST_NS) return false;
  return outputAtNs(shape) - headAtNs < WITH_TEXT_NS;
}

/** The first of what the engine has made: text, or the role that comes with it. */
function outputAtNs({ record, bursts }: Shape): number {
  const textAtNs = bursts[0]?.atNs ?? 0;
  const { chunks, events, engine, answer } = record;
  if (!SILENT_BEFORE.has(answer.dialect) || !isSurelyEarly(engine, answer.dialect)) return textAtNs;
  const roleIndex = events.kind.indexOf(ROLE);
  return Math.min(textAtNs, chunks.receivedAtNs[events.chunk[roleIndex] ?? -1] ?? textAtNs);
}

function leastWaitNs({ record: { connection }, counts, bursts }: Shape): number {
  const { tcpNs = Infinity, wireFloorNs = Infinity, handshakeLeastNs = Infinity } = connection ?? {};
  const roundTripNs = Math.min(tcpNs, wireFloorNs, handshakeLeastNs);
  if (roundTripNs > FAR_NS) return Infinity;
  const lostNs = LOST_NS + LOST_ROUND_TRIPS * roundTripNs;
  const gapNs = medianOf(bursts.slice(1).map(({ silenceNs }) => silenceNs));
  const isLittle = (counts[0] ?? 0) * gapNs * LITTLE_PARTS <= lostNs;
  return isLittle ? lostNs : STOOD_STILL * lostNs;
}

/** How late our own stamp may be: what came apart may have one moment for that. */
function latenessNs({ chunks, pauses }: StreamRecord, atNs: number): number {
  const row = chunks.receivedAtNs.indexOf(atNs);
  return Math.max(chunks.errorBoundNs[row] ?? 0, atNs - standingSinceNs(pauses, atNs, WITH_TEXT_MOST_NS));
}
