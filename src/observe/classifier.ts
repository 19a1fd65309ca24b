// The traffic class of an exchange: the class header first, then the configured rules, first match
// wins. The set is closed by configuration; whatever else a client says is `default`.
import { fieldValue } from '../base/fields.ts';
import { matchesHead } from '../base/head-rules.ts';
import type { ClassRule, ClassSpec } from '../record/traffic-class.ts';

/** What rules can look at. */
export interface ClassSubject {
  readonly fields: readonly string[];
  readonly path: string;
  readonly model: string | undefined;
  /** A top-level field of the request's JSON body; undefined when it is not in the copy. */
  readonly bodyField: (name: string) => string | number | boolean | undefined;
}

export interface Classifier {
  classify(subject: ClassSubject): ClassSpec;
}

const DEFAULT_NAME = 'default';

export function createClassifier(header: string, classes: readonly ClassSpec[]): Classifier {
  const byName = new Map(classes.map((each) => [each.name, each]));
  const fallback = byName.get(DEFAULT_NAME);
  if (fallback === undefined) throw new Error('The class "default" is missing.');
  return {
    classify(subject) {
      const named = byName.get(fieldValue(subject.fields, header) ?? '');
      if (named !== undefined) return named;
      return classes.find(({ rules }) => rules.some((rule) => matches(rule, subject))) ?? fallback;
    },
  };
}

function matches(rule: ClassRule, subject: ClassSubject): boolean {
  const { model, body } = rule;
  if (model !== undefined && subject.model !== model) return false;
  if (body !== undefined && subject.bodyField(body.field) !== body.equals) return false;
  return matchesHead(rule, subject.fields, subject.path);
}
