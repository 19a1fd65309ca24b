// What a doubt about a record means, as sentences for people. Words only.
import type { Doubt } from '../../record/kinds.ts';

export const DOUBT_MEANING: Readonly<Record<Doubt, string>> = {
  rounded: 'a remainder of the time to first token just below 0 was taken as rounding.',
  contradicted: 'what the engine said of its time did not fit into our clock, and was left out.',
  tape_bytes: 'bytes were left out under overload, so events may be missing.',
  tape_chunks: 'chunks were left out under overload, so stamps are missing.',
  log_full: 'there were more chunks or events than a record keeps.',
  unterminated_tail: 'the stream ended inside an event, which was read for the figures all the same.',
  parse_overflow: 'an event was larger than the parser holds, and was skipped.',
  parse_error: 'an event was not what its dialect promises.',
  no_done: 'the stream ended with a finish reason but without its end mark.',
  close_delimited: 'the answer had no length and no chunking, so a cut cannot be seen.',
  framing_conflict: 'the answer stated both a length and chunking.',
  unreadable: 'the body could not be read, for its coding or media type.',
  request_cut: 'the request was larger than the copy of it, so its model or its wish to stream may be unknown.',
  clock_step: 'wall time was stepped while it ran.',
  evidence_conflict: 'two exact sources differ by more than 5 ms; the one of higher rank was taken.',
  loop_lag: 'a stamp may be late by more than 1 ms, because the sidecar was busy or kept from running.',
  cpu_throttled: 'the quota of the container took CPU time away while it ran.',
};
