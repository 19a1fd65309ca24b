// The shape of one objective in YAML, and what its fields must be together. Gives sentences without a place.
import * as v from 'valibot';
import { OBJECTIVE_MAX_MS, OBJECTIVE_TOKENS_MAX_COUNT, OBJECTIVE_WORDS_MAX_COUNT } from '../base/objective-limits.ts';
import { ASKED_NAMES, type ObjectiveKind, PERCENT_LEAST, PERCENT_MOST } from '../record/objective.ts';
import { didYouMean } from './nearest.ts';
import { LABEL } from './schema.ts';

const SHARE_TEXT = 'expected a share above 0 and below 1, such as 0.95';
export const SHARE = v.pipe(
  v.number(SHARE_TEXT),
  v.check((share) => share > 0 && share < 1, SHARE_TEXT),
);

const LIMIT_TEXT = `expected a number of ms above 0 and up to ${OBJECTIVE_MAX_MS}`;
const LIMIT_MS = v.pipe(
  v.number(LIMIT_TEXT),
  v.check((limitMs) => limitMs > 0 && limitMs <= OBJECTIVE_MAX_MS, LIMIT_TEXT),
);

const TOKENS_TEXT = `expected a whole number of tokens up to ${OBJECTIVE_TOKENS_MAX_COUNT}`;
const TOKENS = v.pipe(
  v.number(TOKENS_TEXT),
  v.check((count) => Number.isInteger(count) && count >= 0 && count <= OBJECTIVE_TOKENS_MAX_COUNT, TOKENS_TEXT),
);

const TEXT = v.pipe(v.string('expected text'), v.nonEmpty('expected text that is not empty'));
export const WORDS = v.pipe(
  v.array(TEXT, 'expected a list of names'),
  v.nonEmpty('expected at least one name'),
  v.maxLength(OBJECTIVE_WORDS_MAX_COUNT, `expected at most ${OBJECTIVE_WORDS_MAX_COUNT} names`),
);

/** Names under which what clients ask for is counted. */
const RESERVED: readonly string[] = Object.values(ASKED_NAMES);
const NAME = v.pipe(
  LABEL,
  v.check((name) => !RESERVED.includes(name), 'this name is kept for what clients ask for by header'),
);

export const OBJECTIVE = v.strictObject({
  objective: v.string('expected the name of a figure, such as ttft'),
  name: v.optional(NAME),
  max_ms: v.optional(LIMIT_MS),
  target: v.optional(SHARE),
  prompt_buckets: v.optional(WORDS),
  prompt_tokens_min: v.optional(TOKENS),
  prompt_tokens_max: v.optional(TOKENS),
  output_tokens_max: v.optional(TOKENS),
  invalid_finish_reasons: v.optional(WORDS),
});
export type RawObjective = v.InferOutput<typeof OBJECTIVE>;

/** Names of figures that an objective can be about. Percentiles stand for themselves. */
const FIGURES: Readonly<Record<string, ObjectiveKind>> = {
  ttft: 'ttft',
  ttfo: 'ttfo',
  gap_max: 'gap_max',
  tpot: 'tpot',
  e2e: 'e2e',
  valid: 'valid',
  served: 'served',
};
const FIGURES_SHOWN = [...Object.keys(FIGURES), 'gap_p95', 'gap_pooled_p95'];
const THERE_ARE = ` There are ${Object.keys(FIGURES).join(', ')}, and percentiles such as gap_p95 and gap_pooled_p95.`;

export interface FigureName {
  readonly kind: ObjectiveKind;
  readonly percent?: number;
}

/** What `ttft`, `gap_p95` or `gap_pooled_p95` is about; whole sentences when it is about nothing. */
export function readFigure(name: string): FigureName | string {
  const kind = Object.hasOwn(FIGURES, name) ? FIGURES[name] : undefined;
  if (kind !== undefined) return { kind };
  // `p095` would be a second name of `p95`.
  const match = /^gap_(pooled_)?p([1-9]\d{0,3})$/.exec(name);
  if (match === null)
    return `there is no figure "${name.slice(0, 64)}".${didYouMean(name, FIGURES_SHOWN) || THERE_ARE}`;
  const percent = Number(match[2]);
  if (percent < PERCENT_LEAST || percent > PERCENT_MOST) {
    return `expected a percentile from p${PERCENT_LEAST} to p${PERCENT_MOST}; for the worst gap there is gap_max.`;
  }
  return { kind: match[1] === undefined ? 'gap_percentile' : 'gap_pooled', percent };
}

export interface FieldFault {
  readonly field: string;
  readonly text: string;
}

type Rule = (raw: Readonly<Record<string, unknown>>, kind: ObjectiveKind) => FieldFault | undefined;

/** What fields must be together, whatever each of them is alone. */
const RULES: readonly Rule[] = [
  ({ max_ms: limit }, kind) => {
    const isLength = kind !== 'valid' && kind !== 'served';
    if (isLength === (limit !== undefined)) return undefined;
    const text = isLength ? 'it is missing' : 'this figure is no length, so it has no limit in ms';
    return { field: 'max_ms', text };
  },
  ({ target }, kind) => {
    if ((kind === 'gap_pooled') === (target === undefined)) return undefined;
    const text = 'a percentile of pooled gaps is a share itself; leave it out';
    return { field: 'target', text: target === undefined ? `it is missing: ${SHARE_TEXT}` : text };
  },
  ({ output_tokens_max: most }, kind) => {
    if (kind !== 'e2e' || most !== undefined) return undefined;
    const text = 'it is missing: without a bound, end to end is about how long an answer was asked for';
    return { field: 'output_tokens_max', text };
  },
  ({ invalid_finish_reasons: reasons }, kind) => {
    if (kind === 'valid' || reasons === undefined) return undefined;
    return { field: 'invalid_finish_reasons', text: 'only "valid" looks at finish reasons' };
  },
  ({ prompt_tokens_min: least, prompt_tokens_max: most }) => {
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most) return undefined;
    return { field: 'prompt_tokens_max', text: 'it is below prompt_tokens_min, so the objective is for nobody' };
  },
];

export function togetherFaults(raw: Readonly<Record<string, unknown>>, kind: ObjectiveKind): FieldFault[] {
  return RULES.map((rule) => rule(raw, kind)).filter((fault) => fault !== undefined);
}
