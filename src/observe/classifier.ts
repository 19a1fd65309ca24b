// The traffic class of an exchange: the class header first, then the configured rules, first match
// wins. The set is closed by configuration; whatever else a client says is `default`.
import { createHash } from 'node:crypto';
import { fieldValue } from '../base/fields.ts';
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
  const { header, path, model, apiKeySha256, body } = rule;
  if (header !== undefined && !matchesHeader(header, subject.fields)) return false;
  if (path !== undefined && !subject.path.startsWith(path)) return false;
  if (model !== undefined && subject.model !== model) return false;
  if (apiKeySha256 !== undefined && keyFingerprint(subject.fields) !== apiKeySha256) return false;
  if (body !== undefined && subject.bodyField(body.field) !== body.equals) return false;
  return true;
}

function matchesHeader(header: NonNullable<ClassRule['header']>, fields: readonly string[]): boolean {
  const value = fieldValue(fields, header.name);
  if (value === undefined) return false;
  if (header.equals !== undefined && value !== header.equals) return false;
  return header.prefix === undefined || value.startsWith(header.prefix);
}

/** Fingerprint of the key a request carries, in the places where clients put it; the key itself goes nowhere. */
function keyFingerprint(fields: readonly string[]): string | undefined {
  const authorization = fieldValue(fields, 'authorization');
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const key = bearer ?? fieldValue(fields, 'x-api-key') ?? fieldValue(fields, 'api-key');
  return key === undefined ? undefined : createHash('sha256').update(key).digest('hex');
}
