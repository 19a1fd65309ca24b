// What the keys with structure share: steps of their schemas, and faults as sentences that say where. Pure.
import * as v from 'valibot';
import { didYouMean } from './nearest.ts';
import { type Reader, show } from './values.ts';

export interface Checked<Value> {
  readonly value: Value;
  readonly faults: readonly string[];
}

/** What label values fold into when a set is full; nothing configured may be called so. */
const FOLDED = 'other';

export const LABEL = v.pipe(
  v.string('expected a name'),
  v.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected a name of letters, digits, ".", "_" and "-", at most 64 long'),
  v.check((name) => name !== FOLDED, `"${FOLDED}" is the label of what has none of its own; take another name`),
);

/** A reader of a single value as a step of a schema, so that both ways give the same sentences. */
export function byReader<Value>(reader: Reader<Value>) {
  return v.pipe(
    v.string('expected text'),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const read = reader(dataset.value);
      if ('value' in read) return read.value;
      addIssue({ message: read.fault });
      return NEVER;
    }),
  );
}

type Issue = v.BaseIssue<unknown>;

/** `routes[1].upstream: …`, one sentence an issue; `fields` are those it could have meant. */
export function sentences(root: string, issues: readonly Issue[], fields: readonly string[]): string[] {
  return issues.map((issue) => {
    const steps = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
    const text = reason(issue, fields);
    return `${root}${steps.join('')}: ${text}${/[.?]$/.test(text) ? '' : '.'}`;
  });
}

function reason(issue: Issue, fields: readonly string[]): string {
  if (issue.type !== 'strict_object') return issue.message;
  // The library says `never` expected for a field too many, and `undefined` received for one missing.
  if (issue.expected === 'never') {
    return `there is no such key.${didYouMean(String(issue.path?.at(-1)?.key), fields)}`;
  }
  return issue.received === 'undefined' ? 'it is missing' : `expected keys and values, not ${show(issue.input)}`;
}
