// The outcome of an exchange: what the relay saw of its end, joined with what the body said. A 2xx alone
// says little: a stream is a success only with its dialect's own terminal mark.
import type { Outcome, Phase, WireEnd } from '../base/outcome.ts';
import type { Doubt } from '../record/kinds.ts';
import type { AnswerFacts } from '../record/stream-record.ts';

export interface OutcomeInput {
  readonly wire: WireEnd;
  /** Status of the head that the engine sent; absent when none came. */
  readonly status?: number | undefined;
  readonly answer: AnswerFacts;
  /** A first token was received from the engine, delivered or not. */
  readonly firstTokenSeen: boolean;
  /** Body bytes received from the engine. */
  readonly receivedBytes: number;
  readonly doubts: readonly Doubt[];
}

export function decideOutcome(input: OutcomeInput): { readonly outcome: Outcome; readonly phase: Phase } {
  const outcome = outcomeOf(input);
  return { outcome, phase: phaseOf(input, outcome) };
}

function outcomeOf(input: OutcomeInput): Outcome {
  const { wire, answer } = input;
  if (wire === 'complete') return outcomeOfAnswer(input);
  // An engine that reports its fault and then cuts the connection has said what the cut means.
  if (wire === 'upstream_aborted' && answer.errorType !== undefined) return 'error_inband';
  if (wire !== 'client_abort') return wire;
  // Clients hang up on an error, and many close as soon as they have the finish: what the answer had come to
  // by then stands. Only a client that leaves an unfinished answer aborts it.
  const decided = isFailed(input) || answer.errorType !== undefined || answer.terminal;
  return decided ? outcomeOfAnswer(input) : 'client_abort';
}

function outcomeOfAnswer(input: OutcomeInput): Outcome {
  const { answer, doubts } = input;
  if (isFailed(input)) return 'error_http';
  if (answer.errorType !== undefined) return 'error_inband';
  if (!answer.streamed || answer.terminal) return 'ok';
  // Some dialects mark no end. A stream of theirs that a client left is not complete, one that ended is.
  if (answer.endsByClose === true && input.wire === 'complete') return 'ok';
  // Where nobody could read the body, or overload took parts of it, a missing mark proves nothing and the
  // framing's word stands: the record says why in its doubts.
  const read = answer.unreadable === undefined && answer.dialect !== 'opaque';
  const whole = !doubts.includes('tape_bytes') && !doubts.includes('tape_chunks');
  return read && whole ? 'incomplete' : 'ok';
}

function isFailed({ status }: OutcomeInput): boolean {
  return status !== undefined && status >= 400;
}

/** How far the answer had come: for a body without readable tokens, its first byte stands for the token. */
function phaseOf(input: OutcomeInput, outcome: Outcome): Phase {
  const { answer, wire, status, receivedBytes } = input;
  if (status === undefined) return 'before_head';
  if (answer.terminal || outcome === 'ok') return 'after_finish';
  if (wire === 'complete' && outcome === 'error_http') return 'after_finish';
  const readable = answer.streamed && answer.unreadable === undefined && answer.dialect !== 'opaque';
  const underWay = readable ? input.firstTokenSeen : receivedBytes > 0;
  return underWay ? 'mid_stream' : 'before_token';
}
