// The version of this package, for resource, `target_info` and `--version`.
import { readFileSync } from 'node:fs';

/** The same two folders up from `src/app/` and from `dist/app/`. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version);
}
