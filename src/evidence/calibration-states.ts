// What a calibrated model can answer to one exchange: an estimate, or why there is none. A closed set,
// so that it can be counted and told to people who wonder where their split is.

export const CALIBRATION_STATES = [
  /** Queue and prefill were estimated. */
  'estimated',
  /** No prompt tokens stated, no first token seen in a stream, or no moment at which the request was sent. */
  'unmeasured',
  /** Cached tokens were not stated, and the prompt begins like an earlier one. */
  'cache_unknown',
  /** The engine reported more running requests than came through here. */
  'strangers',
  /** Too few exchanges so far, or too few of them met an idle engine. */
  'learning',
  /** Many exchanges by now, and hardly one of them met an idle engine. */
  'never_idle',
  /** Latest exchanges do not fit what was learnt; either the engine's speed has changed or it will prove the same. */
  'suspect',
  /** The speed has changed or the engine was started anew: what was learnt is forgotten and being learnt again. */
  'relearning',
  /** No exchange has come near the least time for so long that a slower engine could not be told from a queue. */
  'unconfirmed',
  /** Another prompt was computed at the same time, so neither's own time can be told. */
  'contended',
  /** No exchanges of about this size met an idle engine. */
  'out_of_range',
  /** Prompts of this size take too unsteady a time, or too little beside what nobody sees, for an estimate worth its name. */
  'unsteady',
] as const;
export type CalibrationState = (typeof CALIBRATION_STATES)[number];

export type CalibrationCounts = Record<CalibrationState, number>;

export function noCalibrationCounts(): CalibrationCounts {
  return Object.fromEntries(CALIBRATION_STATES.map((state) => [state, 0])) as CalibrationCounts;
}
