// What the head of a request can be told by: a header, its path, the key it carries. The relay and the observer
// both sort requests by it, so the meaning stands once. Knows no class and no body.
import { createHash } from 'node:crypto';
import { fieldValue } from './fields.ts';

/** Every condition that is present must hold. */
export interface HeadRule {
  readonly header?: { readonly name: string; readonly equals?: string; readonly prefix?: string };
  /** Start of the path. */
  readonly path?: string;
  /** SHA-256 (hex, lower case) of the API key, so that no key stands in a file. */
  readonly apiKeySha256?: string;
}

/**
 * The path of a request target, which is shown: no query, where some put their key, and of a target with a
 * scheme no authority, where some put a password.
 */
export function pathOfTarget(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
}

/** `fields`: names and values in turn, as received; `of`: the path. */
export function matchesHead({ header, path, apiKeySha256 }: HeadRule, fields: readonly string[], of: string): boolean {
  if (header !== undefined && !matchesHeader(header, fields)) return false;
  if (path !== undefined && !of.startsWith(path)) return false;
  return apiKeySha256 === undefined || keyFingerprint(fields) === apiKeySha256;
}

function matchesHeader(header: NonNullable<HeadRule['header']>, fields: readonly string[]): boolean {
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
