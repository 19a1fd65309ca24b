// Where .ci/install-hops puts what no system has in its PATH, and what is said of products that are not there.
import { homedir } from 'node:os';
import { join } from 'node:path';

export const HOPS_CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rubato-hops');
const PYTHON = ['envoy', 'vllm-router', 'sglang-router', 'litellm'].map((name) => join(HOPS_CACHE, name, 'bin'));
const NODE = join(HOPS_CACHE, 'node-compression', 'node_modules');
/** What a person wants to see in a log of thousands of lines. */
const MARK = '!!!!!!!! NOT TESTED';

/** Environment in which hops are looked for and run. The Node of this repository runs those that need Node. */
export const HOPS_ENV: NodeJS.ProcessEnv = {
  HOME: process.env['HOME'],
  LANG: 'C.UTF-8',
  NODE_PATH: NODE,
  PATH: [
    join(import.meta.dirname, '../../node_modules/.bin'),
    process.env['PATH'] ?? '',
    ...PYTHON,
    join(HOPS_CACHE, 'portkey', 'node_modules/.bin'),
  ].join(':'),
};

export function sayNotTested(what: string, why: string): void {
  process.stdout.write(`${MARK}: ${what}: ${why}\n`);
}
