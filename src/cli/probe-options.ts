// The flags of `rubato probe`, read and checked together: every fault is told at once. A key comes from the
// environment only, and no value of a field is ever shown.
import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { PROBE_CONCURRENCY_MAX, PROBE_COUNT_MAX, PROBE_FILE_MAX_BYTES } from '../base/probe-limits.ts';
import { API_NAMES, type ApiName, type Target, targetOf } from '../client/probe/apis.ts';
import { readRun } from '../client/probe/compare.ts';
import type { ProbeResult } from '../client/probe/result.ts';
import type { PeerConfig } from '../config/config.ts';
import { readPeer } from '../config/edges.ts';
import { readInteger } from '../config/values.ts';
import { collect, FlagReader, readFields } from './flag-reader.ts';

export interface ProbeFlags {
  readonly target: Target;
  readonly model: string | undefined;
  readonly key: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly count: number;
  readonly concurrency: number;
  readonly silenceMaxMs: number;
  readonly tls: { readonly caPem: string | undefined; readonly insecure: boolean };
  readonly peer: PeerConfig | undefined;
  readonly isJson: boolean;
  readonly saveFile: string | undefined;
  readonly compared: ProbeResult | undefined;
}

/** Long enough that a hop lets go several times, short enough for ten seconds. */
const MAX_TOKENS_DEFAULT = '256';
const TIMEOUT_DEFAULT_S = '60';
const PROMPT_DEFAULT = 'Write the numbers from one to two hundred as English words, separated by commas. Nothing else.';

export function addProbeFlags(command: Command): Command {
  return command
    .option('--api <NAME>', `${API_NAMES.join(', ')} (default: by the path, else chat)`)
    .option('--model <NAME>', 'model to ask for (default: the first that the endpoint lists)')
    .option('--key-env <NAME>', 'environment variable that holds the API key; the key itself is never shown')
    .option('--prompt <TEXT>', 'what to ask (default: a long list of numbers)')
    .option('--max-tokens <N>', `output tokens to ask for (default ${MAX_TOKENS_DEFAULT})`)
    .option('--count <N>', 'streams to send (default 1)')
    .option('--concurrency <N>', 'streams at once (default 1)')
    .option('--header <NAME: VALUE>', 'a field of the request, as often as wanted', collect, [])
    .option('--insecure', 'do not verify certificates')
    .option('--ca <FILE>', 'PEM file of authorities to trust')
    .option('--timeout <SECONDS>', `longest wait for anything to come (default ${TIMEOUT_DEFAULT_S})`)
    .option('--peer <[NAME@]URL>', 'admin port of a rubato behind the hop: the verdict then rests on both sides')
    .option('--save <FILE>', 'write the run to a file, to be compared with')
    .option('--compare <FILE>', 'set this run beside a saved one, such as one from near the server')
    .option('--json', 'one JSON object instead of the page');
}

/** The flags, or all that is wrong with them. */
export function readProbeFlags(
  given: Command,
  env: Readonly<Record<string, string | undefined>>,
): ProbeFlags | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const target = readTarget(given.args, flags.text('api'), faults);
  const key = readKey(flags.text('keyEnv'), env, faults);
  const peer = flags.readGiven('peer', readPeer);
  const compareFile = flags.text('compare');
  const read: Omit<ProbeFlags, 'target'> = {
    model: flags.text('model'),
    key,
    fields: readFields(given.getOptionValue('header') as readonly string[], faults),
    prompt: flags.text('prompt') ?? PROMPT_DEFAULT,
    maxTokens: flags.read('maxTokens', MAX_TOKENS_DEFAULT, readInteger(1, 1_000_000)) ?? 0,
    count: flags.read('count', '1', readInteger(1, PROBE_COUNT_MAX)) ?? 0,
    concurrency: flags.read('concurrency', '1', readInteger(1, PROBE_CONCURRENCY_MAX)) ?? 0,
    silenceMaxMs: (flags.read('timeout', TIMEOUT_DEFAULT_S, readInteger(1, 3_600)) ?? 0) * 1000,
    tls: readTls(given, flags.text('ca'), faults),
    peer,
    isJson: given.getOptionValue('json') === true,
    saveFile: flags.text('save'),
    compared: compareFile === undefined ? undefined : readCompared(compareFile, faults),
  };
  return target === undefined || faults.length > 0 ? { faults } : { target, ...read };
}

export function readTarget(args: readonly string[], api: string | undefined, faults: string[]): Target | undefined {
  if (api !== undefined && !API_NAMES.includes(api as ApiName)) faults.push(`--api: expected ${API_NAMES.join(', ')}.`);
  const [text, ...more] = args;
  if (text === undefined || more.length > 0) {
    faults.push('Give one URL, such as http://127.0.0.1:8000 or https://api.example.com/v1/chat/completions.');
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    faults.push('The URL must begin with http:// or https://, such as http://127.0.0.1:8000.');
    return undefined;
  }
  if (url.username !== '' || url.password !== '') {
    faults.push('The URL holds a user or password, which others can read there. Name a variable with --key-env.');
    return undefined;
  }
  return targetOf(url, api as ApiName | undefined);
}

export function readKey(
  name: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): string | undefined {
  const key = name === undefined ? undefined : env[name];
  if (name !== undefined && (key === undefined || key === ''))
    faults.push(`--key-env: there is no variable ${name}, or it is empty.`);
  return key;
}

export function readTls(given: Command, caFile: string | undefined, faults: string[]): ProbeFlags['tls'] {
  return {
    caPem: caFile === undefined ? undefined : readGivenFile('--ca', caFile, faults),
    insecure: given.getOptionValue('insecure') === true,
  };
}

function readGivenFile(flag: string, path: string, faults: string[]): string | undefined {
  try {
    if (statSync(path).size <= PROBE_FILE_MAX_BYTES) return readFileSync(path, 'utf8');
    faults.push(`${flag}: ${path} is too large.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push(`${flag}: cannot read ${path}: ${code === 'ENOENT' ? 'there is no such file' : (code ?? 'unknown')}.`);
  }
  return undefined;
}

function readCompared(path: string, faults: string[]): ProbeResult | undefined {
  const text = readGivenFile('--compare', path, faults);
  if (text === undefined) return undefined;
  const run = readRun(text);
  if (typeof run !== 'string') return run;
  faults.push(`--compare: ${path} is no saved run: ${run}. Make one with --save FILE.`);
  return undefined;
}
