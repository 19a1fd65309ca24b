// What is promised of a traffic class, as plain data: limits, the share that must keep them, and whom they are
// for. A class carries its objectives, and each record those it was opened with and those its client asked
// for, so that a replay judges alike. Who judges stands in judge/slo; nothing here knows figures or YAML.

/** What an objective can bound. What each lies between is said where it is judged, one file a kind. */
export const OBJECTIVE_KINDS = [
  'ttft',
  'ttfo',
  'gap_max',
  'gap_percentile',
  'gap_pooled',
  'tpot',
  'e2e',
  'valid',
  'served',
] as const;
export type ObjectiveKind = (typeof OBJECTIVE_KINDS)[number];

/** Percentiles that an objective can be about: below the median nobody promises anything. */
export const PERCENT_LEAST = 50;
export const PERCENT_MOST = 99;

/** Whom an objective is for; bounds that are absent let everybody in. All that are present must hold. */
export interface ObjectiveScope {
  /** Values of the label `prompt_bucket`. */
  readonly promptBuckets?: readonly string[];
  /** Least prompt tokens, included. */
  readonly promptTokensMin?: number;
  /** Most prompt tokens, included. */
  readonly promptTokensMax?: number;
  /** Most output tokens, included. `e2e` always has it: a longer answer may take longer. */
  readonly outputTokensMax?: number;
}

export interface Objective {
  /** Value of the label `objective`, one of a kind within its class: `ttft`, `gap_p95`, `ttft_2s`. */
  readonly name: string;
  readonly kind: ObjectiveKind;
  /** Of `gap_percentile` (of the exchange) and `gap_pooled` (of all gaps of the class): which one, 50 to 99. */
  readonly percent?: number;
  /** Longest that keeps it, included; absent of `valid` and `served`, which are no lengths. */
  readonly limitNs?: number;
  /** Share of exchanges that must keep it, above 0 and below 1; of `gap_pooled` the share of gaps: its percentile. */
  readonly target: number;
  readonly scope?: ObjectiveScope;
  /** Of `valid`: finish reasons that make an answer invalid although it ended well, such as `length`. */
  readonly invalidFinishes?: readonly string[];
}

/** Ready-made sets of objectives. */
export const PRESETS = ['chat', 'smooth', 'batch'] as const;
export type PresetName = (typeof PRESETS)[number];

/** What a class of batch jobs promises (`x-job-id` groups exchanges); which jobs there are is for observe to know. */
export interface JobTerms {
  /** A job that is not complete by then has missed it, counted from its first exchange. */
  readonly deadlineMs: number;
  /** Output tokens per second over the whole job, at least. */
  readonly outputTokensPerSecondMin?: number;
  /** Share of the job's exchanges whose answers must be valid. */
  readonly validTarget: number;
  /** Finish reasons that make an answer invalid. */
  readonly invalidFinishes: readonly string[];
}

/** What a client may ask for by header, for one exchange. */
export const ASKED_KINDS = ['ttft', 'tpot', 'gap'] as const;
export type AskedKind = (typeof ASKED_KINDS)[number];

/** The header in which a client asks for a limit in ms. */
export function askedHeader(kind: AskedKind): string {
  return `x-slo-${kind}-ms`;
}

/** Limits that the client asked for. They are judged beside those of its class, under names of their own. */
export interface AskedObjectives {
  /** Largest TTFT, `x-slo-ttft-ms`. */
  readonly ttftNs?: number;
  /** Largest TPOT, `x-slo-tpot-ms`. */
  readonly tpotNs?: number;
  /** Largest gap of all, `x-slo-gap-ms`. */
  readonly gapNs?: number;
  /** Headers that were there and said nothing that can be used. */
  readonly unreadable?: readonly AskedKind[];
}

/** Names under which asked-for limits are counted; of each exchange its own limit. */
export const ASKED_NAMES: Readonly<Record<AskedKind, string>> = {
  ttft: 'asked_ttft',
  tpot: 'asked_tpot',
  gap: 'asked_gap_max',
};
