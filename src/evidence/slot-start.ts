// llama.cpp flushes its response head at the moment a slot begins the prompt (from build 9428, PR #23884),
// so the head's arrival ends the queue; and `timings.prompt_ms` lies between that moment and the first
// token. Each bounds the queue from above in its own way: a head can come late but not before the slot
// starts, and what follows the prefill can only add to the time that is left. This file weighs the two.
import { lengthNs, NS_PER_MS, stated } from './exact.ts';
import { headClassOf } from './head-class.ts';
import { remainderNs } from './remainder.ts';
import type { EvidenceSubject } from './source.ts';

/** The two may differ by so much before one of them is not what it seems. */
const AGREEMENT_NS = 5_000_000;
/** A head in the same instant as the first event was held by a hop, unless the prefill was as short. */
const HELD_NS = 1_000_000;

export interface SlotStart {
  /** Request sent → head received, without the wire. */
  readonly arrivalNs?: number | undefined;
  /** Request sent → first event, without wire and prefill; absent without `prompt_ms`. */
  readonly restNs?: number | undefined;
  /**
   * What the head's arrival is: `marked` the slot's start, `held` until the first event, `differs` from what
   * `prompt_ms` tells, `unknown` where nothing says that this engine's head marks anything.
   */
  readonly head: 'marked' | 'held' | 'differs' | 'unknown';
}

/** Slot start → first token sampled, as the engine states it. */
export function statedPromptNs(subject: EvidenceSubject): number | undefined {
  return lengthNs(stated(subject, 'timings.prompt_ms'), NS_PER_MS);
}

export function slotStartOf(subject: EvidenceSubject): SlotStart {
  const { requestSentAtNs: sentAtNs, headReceivedAtNs: headAtNs, wireFloorNs = 0 } = subject;
  const firstAtNs = firstEventAtNs(subject);
  if (!subject.streamed || sentAtNs === undefined || firstAtNs === undefined) return { head: 'unknown' };
  const promptNs = statedPromptNs(subject);
  const restNs = promptNs === undefined ? undefined : remainderNs(firstAtNs - sentAtNs, wireFloorNs + promptNs);
  if (headAtNs === undefined) return { head: 'unknown', restNs };
  const arrivalNs = remainderNs(headAtNs - sentAtNs, wireFloorNs);
  return { arrivalNs, restNs, head: judgeHead(subject, firstAtNs - headAtNs, promptNs) };
}

/** With `return_progress` events come while the prompt is computed, so the first one is no end of it. */
function firstEventAtNs(subject: EvidenceSubject): number | undefined {
  const progress = stated(subject, 'prompt_progress.processed') !== undefined;
  return progress ? subject.firstTokenAtNs : (subject.firstEventAtNs ?? subject.firstTokenAtNs);
}

function judgeHead(subject: EvidenceSubject, sinceHeadNs: number, promptNs: number | undefined): SlotStart['head'] {
  const { engine } = subject;
  const slotStart = headClassOf(engine, subject.dialect) === 'slot_start';
  // A build that does not tell its number may be an old one; then only `prompt_ms` can show that the head marks.
  if (!slotStart && (engine?.name !== 'llama.cpp' || engine.version !== undefined)) return 'unknown';
  if (promptNs === undefined) return slotStart && sinceHeadNs >= HELD_NS ? 'marked' : 'unknown';
  if (Math.abs(sinceHeadNs - promptNs) <= AGREEMENT_NS) return 'marked';
  if (!slotStart) return 'unknown';
  return sinceHeadNs < HELD_NS ? 'held' : 'differs';
}
