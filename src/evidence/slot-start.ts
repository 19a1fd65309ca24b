// llama.cpp releases its response head when a slot begins the prompt (from build 9428, PR #23884), so
// the head's arrival ends the queue; and `timings.prompt_ms` lies between that moment and the first
// token. Each bounds the queue from above in its own way. The head is posted to a thread that a busy
// machine wakes late (1 to 13 ms were seen in build 11434), and what comes after the prefill adds to what
// is left of the time to the first event. So the smaller one is nearer, unless the head came early, which
// the engine never does and a hop may. This file weighs the two.
import { lengthNs, NS_PER_MS, stated } from './exact.ts';
import { headClassOf } from '../record/head-class.ts';
import { remainderNs } from './remainder.ts';
import type { EvidenceSubject } from './source.ts';

/** The two may differ by so much before one of them is not what it seems. */
const AGREEMENT_NS = 5_000_000;
/** A head in the same instant as the first event may have been held by a hop. */
const HELD_NS = 1_000_000;

export interface SlotStart {
  /** Request sent → head received, without the wire. */
  readonly arrivalNs?: number | undefined;
  /** Request sent → prefill over, without wire and prefill; absent without `prompt_ms`. */
  readonly restNs?: number | undefined;
  /**
   * What the head's arrival is: `marked` the slot's start; `late` or `early` against what `prompt_ms` tells;
   * `unknown` where nothing says that this engine's head marks anything.
   */
  readonly head: 'marked' | 'late' | 'early' | 'unknown';
}

/** Slot start → prompt computed, as the engine states it. */
export function statedPromptNs(subject: EvidenceSubject): number | undefined {
  return lengthNs(stated(subject, 'timings.prompt_ms'), NS_PER_MS);
}

export function slotStartOf(subject: EvidenceSubject): SlotStart {
  const { requestSentAtNs: sentAtNs, headReceivedAtNs: headAtNs, wireFloorNs = 0 } = subject;
  const prefillEndAtNs = prefillEndOf(subject);
  if (!subject.streamed || sentAtNs === undefined || prefillEndAtNs === undefined) return { head: 'unknown' };
  const promptNs = statedPromptNs(subject);
  const restNs = promptNs === undefined ? undefined : remainderNs(prefillEndAtNs - sentAtNs, wireFloorNs + promptNs);
  if (headAtNs === undefined) return { head: 'unknown', restNs };
  const arrivalNs = remainderNs(headAtNs - sentAtNs, wireFloorNs);
  return { arrivalNs, restNs, head: judgeHead(subject, prefillEndAtNs - headAtNs, promptNs) };
}

/**
 * The latest moment at which the prefill can have ended: the first event, or the end of the answer less
 * `predicted_ms`, which the engine counts from there. The first event of a busy server can be 10 ms late.
 */
function prefillEndOf(subject: EvidenceSubject): number | undefined {
  const { firstEventAtNs, firstTokenAtNs, upstreamEndAtNs } = subject;
  // With `return_progress` events come while the prompt is computed.
  const progress = stated(subject, 'prompt_progress.processed') !== undefined;
  const firstAtNs = progress ? firstTokenAtNs : (firstEventAtNs ?? firstTokenAtNs);
  const decodeNs = lengthNs(stated(subject, 'timings.predicted_ms'), NS_PER_MS);
  if (firstAtNs === undefined || decodeNs === undefined || upstreamEndAtNs === undefined) return firstAtNs;
  return Math.min(firstAtNs, upstreamEndAtNs - decodeNs);
}

function judgeHead(subject: EvidenceSubject, sinceHeadNs: number, promptNs: number | undefined): SlotStart['head'] {
  const { engine, dialect } = subject;
  const slotStart = headClassOf(engine, dialect) === 'slot_start';
  // A build that does not tell its number may be an old one; then only `prompt_ms` can show that the head marks.
  if (!slotStart && (engine?.name !== 'llama.cpp' || engine.version !== undefined)) return 'unknown';
  if (promptNs === undefined) return slotStart && sinceHeadNs >= HELD_NS ? 'marked' : 'unknown';
  const laterNs = promptNs - sinceHeadNs;
  if (Math.abs(laterNs) <= AGREEMENT_NS) return 'marked';
  if (!slotStart) return 'unknown';
  return laterNs > 0 ? 'late' : 'early';
}
