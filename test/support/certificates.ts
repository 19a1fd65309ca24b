// The certificates of the tests: `engine` is vouched for by `authority` and good for 127.0.0.1, nobody vouches
// for `stranger`, and `expired` is its own authority and out of date.
import { readFileSync } from 'node:fs';

/** Path of a file, such as `authority.crt.pem`. */
export function pemPath(name: string): string {
  return new URL(`tls/${name}`, import.meta.url).pathname;
}

export function pem(name: string): string {
  return readFileSync(pemPath(name), 'utf8');
}

export function pairOf(name: 'engine' | 'stranger' | 'expired'): { readonly cert: string; readonly key: string } {
  return { cert: pem(`${name}.crt.pem`), key: pem(`${name}.key.pem`) };
}
