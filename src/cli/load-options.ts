// The flags of `rubato load`, read and checked together: every fault is told at once. A key comes from the
// environment only, and no value of a field is ever shown.
import type { Command } from 'commander';
import { LOAD_CLASSES_MAX_COUNT } from '../base/load-limits.ts';
import { LENGTHS_HELP, type Lengths, readLengths } from '../client/load/lengths.ts';
import type { LoadClass } from '../client/load/plan.ts';
import { readSloWords, SLO_HELP, type SloWord } from '../client/load/slo-words.ts';
import { API_NAMES, type Target } from '../client/probe/apis.ts';
import type { PeerConfig } from '../config/config.ts';
import { readPeer } from '../config/edges.ts';
import { readFigure } from '../config/objective-schema.ts';
import { type Reader, readHeaderName, readInteger, show } from '../config/values.ts';
import { asObject, parseJson } from '../stream/json-value.ts';
import { collect, FlagReader, readFields } from './flag-reader.ts';
import { addShapeFlags, type LoadShape, readExtent, readShape, readSpanMs } from './load-shape.ts';
import { readKey, readTarget, readTls } from './probe-options.ts';

export const EXPORT_FORMATS = ['aiperf', 'guidellm'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface LoadFlags {
  readonly target: Target;
  readonly model: string | undefined;
  readonly key: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly tls: { readonly caPem: string | undefined; readonly insecure: boolean };
  readonly silenceMaxMs: number;
  readonly requestMaxMs: number | undefined;
  readonly fresh: boolean;
  readonly classes: readonly LoadClass[];
  readonly classHeader: string;
  readonly load: LoadShape;
  readonly warmupMs: number;
  readonly durationMs: number;
  readonly count: number | undefined;
  readonly drainMs: number;
  readonly seed: number;
  readonly configFile: string | undefined;
  readonly slo: readonly SloWord[];
  readonly peer: PeerConfig | undefined;
  readonly jsonFile: string | undefined;
  readonly csvFile: string | undefined;
  readonly exports: readonly { readonly format: ExportFormat; readonly path: string }[];
}

/** In the place of one that was not understood, so that what else is wrong is told as well. */
const ANY_LENGTHS: Lengths = { kind: 'uniform', least: 1, most: 1 };

export function addLoadFlags(command: Command): Command {
  return addShapeFlags(command)
    .option('--prompt-tokens <LENGTHS>', `${LENGTHS_HELP} (default 256)`)
    .option('--output-tokens <LENGTHS>', 'the same of answers (default 128)')
    .option('--class <NAME=SHARE[/PROMPT/OUTPUT]>', 'a class of the mix, as often as wanted', collect, [])
    .option('--class-header <NAME>', 'field that carries the class (default x-traffic-class)')
    .option('--seed <N>', 'of arrivals, lengths and prompts (default 1)')
    .option('--api <NAME>', `${API_NAMES.join(', ')} (default: by the path, else chat)`)
    .option('--model <NAME>', 'model to ask for (default: the first that the endpoint lists)')
    .option('--key-env <NAME>', 'environment variable that holds the API key; the key itself is never shown')
    .option('--header <NAME: VALUE>', 'a field of each request, as often as wanted', collect, [])
    .option('--extra-body <JSON>', 'fields of each body, such as {"ignore_eos":true}')
    .option('--fresh', 'a connection for each request, whose handshakes then count')
    .option('--timeout <SECONDS>', 'longest wait for anything to come (default 60)')
    .option('--request-timeout <SECONDS>', 'longest time of a request (default: none)')
    .option('--insecure', 'do not verify certificates')
    .option('--ca <FILE>', 'PEM file of authorities to trust')
    .option('--slo <LIST>', `what is promised: [CLASS:]${SLO_HELP}; share by @0.99 (default 0.95)`, collect, [])
    .option('--config <FILE>', 'YAML of rubato: the objectives of its classes')
    .option('--peer <[NAME@]URL>', 'admin port of a rubato before the engine: what the way to it added')
    .option('--json <FILE>', 'write all figures as JSON; - is the output, in place of the page')
    .option('--csv <FILE>', 'write one line a request; in a sweep one a step and class')
    .option(
      '--export <FORMAT=FILE>',
      'aiperf=FILE, one line a request as AIPerf has them, or guidellm=FILE.json, a report of GuideLLM',
      collect,
      [],
    );
}

/** The flags, or all that is wrong with them. */
export function readLoadFlags(
  given: Command,
  env: Readonly<Record<string, string | undefined>>,
): LoadFlags | { readonly faults: readonly string[] } {
  const faults: string[] = [];
  const flags = new FlagReader(given, faults);
  const target = readTarget(given.args, flags.text('api'), faults);
  const key = readKey(flags.text('keyEnv'), env, faults);
  const load = readShape(given, flags, faults);
  const read: Omit<LoadFlags, 'target'> = {
    model: flags.text('model'),
    key,
    fields: readFields(given.getOptionValue('header') as readonly string[], faults),
    extraBody: flags.readGiven('extraBody', readObject) ?? {},
    tls: readTls(given, flags.text('ca'), faults),
    silenceMaxMs: flags.read('timeout', '60', readSpanMs(0.001)) ?? 0,
    requestMaxMs: flags.readGiven('requestTimeout', readSpanMs(0.001)),
    fresh: given.getOptionValue('fresh') === true,
    classes: readClasses(given, flags, faults),
    classHeader: flags.read('classHeader', 'x-traffic-class', readHeaderName) ?? '',
    load,
    warmupMs: flags.read('warmup', '0', readSpanMs(0)) ?? 0,
    ...readExtent(flags, load),
    drainMs: flags.read('drain', '60', readSpanMs(0)) ?? 0,
    seed: flags.read('seed', '1', readInteger(0, 4_294_967_295)) ?? 0,
    configFile: flags.text('config'),
    slo: readSlo(given, faults),
    peer: flags.readGiven('peer', readPeer),
    jsonFile: flags.text('json'),
    csvFile: flags.text('csv'),
    exports: readExports(given, target, faults),
  };
  return target === undefined || faults.length > 0 ? { faults } : { target, ...read };
}

function readClasses(given: Command, flags: FlagReader, faults: string[]): LoadClass[] {
  const prompt = flags.read('promptTokens', '256', readLengthsFlag) ?? ANY_LENGTHS;
  const output = flags.read('outputTokens', '128', readLengthsFlag) ?? ANY_LENGTHS;
  const texts = given.getOptionValue('class') as readonly string[];
  if (texts.length === 0) return [{ name: 'interactive', share: 1, promptTokens: prompt, outputTokens: output }];
  const classes = texts.map((text) => readClass(text, prompt, output) ?? text);
  for (const each of classes) {
    if (typeof each === 'string')
      faults.push(
        `--class: "${each.slice(0, 80)}" is not NAME=SHARE or NAME=SHARE/PROMPT/OUTPUT, such as batch=0.2/1000-4000/200.`,
      );
  }
  const read = classes.filter((each) => typeof each !== 'string');
  if (new Set(read.map(({ name }) => name)).size < read.length) faults.push('--class: a class is named twice.');
  if (read.length > LOAD_CLASSES_MAX_COUNT) faults.push(`--class: more than ${LOAD_CLASSES_MAX_COUNT} classes.`);
  return read;
}

function readClass(text: string, prompt: Lengths, output: Lengths): LoadClass | undefined {
  const match = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})=(\d+(?:\.\d+)?)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(text);
  if (match === null || !(Number(match[2]) > 0)) return undefined;
  const [, name = '', share, ownPrompt, ownOutput] = match;
  const promptTokens = ownPrompt === undefined ? prompt : readLengths(ownPrompt);
  const outputTokens = ownOutput === undefined ? output : readLengths(ownOutput);
  if (promptTokens === undefined || outputTokens === undefined) return undefined;
  return { name, share: Number(share), promptTokens, outputTokens };
}

function readSlo(given: Command, faults: string[]): SloWord[] {
  return (given.getOptionValue('slo') as readonly string[]).flatMap((text) => {
    const words = readSloWords(text);
    if (typeof words === 'string') {
      faults.push(`--slo: ${words}.`);
      return [];
    }
    for (const { raw } of words) {
      const figure = readFigure(String(raw['objective']));
      if (typeof figure === 'string') faults.push(`--slo: ${figure}`);
    }
    return words;
  });
}

function readExports(given: Command, target: Target | undefined, faults: string[]): LoadFlags['exports'] {
  return (given.getOptionValue('export') as readonly string[]).flatMap((text) => {
    const [format = '', ...rest] = text.split('=');
    const path = rest.join('=');
    const fault = exportFault(format, path, target);
    if (fault === undefined) return { format: format as ExportFormat, path };
    faults.push(`--export: ${fault}`);
    return [];
  });
}

function exportFault(format: string, path: string, target: Target | undefined): string | undefined {
  if (!EXPORT_FORMATS.includes(format as ExportFormat) || path === '')
    return `expected ${EXPORT_FORMATS.map((name) => `${name}=FILE`).join(' or ')}.`;
  if (format !== 'guidellm') return undefined;
  // It tells by the ending what it reads, and has a fixed list of APIs.
  if (!path.endsWith('.json')) return 'GuideLLM reads a report only from a file that ends in .json.';
  return target?.api.name === 'messages' ? 'GuideLLM knows no benchmark of the API messages.' : undefined;
}

const readLengthsFlag: Reader<Lengths> = (raw) => {
  const value = readLengths(String(raw));
  return value === undefined ? { fault: `${show(raw)} is no length; there are ${LENGTHS_HELP}` } : { value };
};

const readObject: Reader<Readonly<Record<string, unknown>>> = (raw) => {
  const value = asObject(parseJson(String(raw)));
  // Without the text: it may hold a secret.
  return value === undefined ? { fault: 'expected a JSON object, such as {"ignore_eos":true}' } : { value };
};
