// The bodies of answers to OTLP requests: an Export…ServiceResponse for what was taken, a
// google.rpc.Status for what was not; in the type that was sent, as the specification asks.
import type { Verdict } from './intake.ts';
import { JSON_TYPE, type PayloadType } from './signals.ts';

/** Codes of google.rpc by the reason of a refusal. */
const INVALID_ARGUMENT = 3;
const UNAVAILABLE = 14;

export function statusMessage(type: PayloadType, verdict: Verdict): Buffer {
  return type === JSON_TYPE ? Buffer.from(JSON.stringify(jsonMessage(verdict))) : protobufMessage(verdict);
}

function jsonMessage(verdict: Verdict): object {
  if (!verdict.accepted) return { code: codeOf(verdict.reason), message: verdict.message };
  const { partial } = verdict;
  if (partial === undefined) return {};
  return { partialSuccess: { rejectedSpans: String(partial.rejectedCount), errorMessage: partial.message } };
}

/** Only JSON is ever taken in part, so that an accepted protobuf request has an empty answer. */
function protobufMessage(verdict: Verdict): Buffer {
  if (verdict.accepted) return Buffer.alloc(0);
  const message = Buffer.from(verdict.message);
  // Field 1, a varint: the code. Field 2, bytes: the message, which is always a short sentence of ours.
  return Buffer.concat([Buffer.from([8, codeOf(verdict.reason), 18, message.length]), message]);
}

function codeOf(reason: string): number {
  return reason === 'busy' ? UNAVAILABLE : INVALID_ARGUMENT;
}
