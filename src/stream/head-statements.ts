// Finds what a response head states about time and load: fields that engines and hops are known to send
// with a plain number, `Server-Timing`, and ORCA's `endpoint-load-metrics`. A path is `head.` and the
// field's lower-case name. Knows nothing of bodies.
import { HEAD_LIST_MAX_COUNT, STATEMENT_PATH_MAX_CHARS } from '../base/limits.ts';
import { asObject, boundedText, parseJson } from './json-value.ts';
import { parseServerTiming } from './server-timing.ts';
import { decimalOf, type NoteStatement } from './statements.ts';

/** Fields with one plain number, by who sends them. */
const NUMBER_FIELDS: ReadonlySet<string> = new Set([
  // TGI, on answers that are no streams (v3.3.7, router/src/server.rs). `x-compute-time` is in s, times are in ms.
  'x-compute-time',
  'x-total-time',
  'x-validation-time',
  'x-queue-time',
  'x-inference-time',
  'x-time-per-token',
  'x-prompt-tokens',
  'x-generated-tokens',
  // OpenAI and Azure: received → head, ms.
  'openai-processing-ms',
  // xAI: whole request, ms.
  'x-metrics-e2e-ms',
  // Bedrock, on answers that are no streams: ms.
  'x-amzn-bedrock-invocation-latency',
  // Hops: Envoy counts until the upstream's head, Kong splits the way, LiteLLM its own share; all in ms.
  'x-envoy-upstream-service-time',
  'x-kong-upstream-latency',
  'x-kong-proxy-latency',
  'x-litellm-response-duration-ms',
  'x-litellm-overhead-duration-ms',
]);

const FIREWORKS_PREFIX = 'fireworks-';

export function noteHeadStatements(fields: readonly string[], note: NoteStatement): void {
  const timings: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase();
    const value = fields[i + 1] as string;
    if (NUMBER_FIELDS.has(name) || name.startsWith(FIREWORKS_PREFIX)) noteDecimal(name, value, note);
    else if (name === 'server-timing') timings.push(value);
    else if (name === 'endpoint-load-metrics') noteLoad(value, note);
  }
  if (timings.length > 0) noteServerTiming(timings.join(','), note);
}

function noteDecimal(name: string, value: string, note: NoteStatement): void {
  const number = decimalOf(value);
  if (number !== undefined) note(pathOf(name), number);
}

/**
 * Only entries that tell a duration; a bare name, such as a cache hit, is no time. Every hop may add entries, so
 * a name with two different durations tells neither.
 */
function noteServerTiming(value: string, note: NoteStatement): void {
  const durations = new Map<string, number | undefined>();
  for (const { name, durationMs } of parseServerTiming(value)) {
    if (durationMs === undefined) continue;
    durations.set(name, !durations.has(name) || durations.get(name) === durationMs ? durationMs : undefined);
  }
  for (const [name, durationMs] of durations) {
    if (durationMs !== undefined) note(pathOf(`server-timing.${name}`), durationMs);
  }
}

/**
 * ORCA's load report as vLLM and Triton write it, for clients that ask: `TEXT named_metrics.a=0.4, …` or
 * `JSON {"named_metrics": {"a": 0.4}}`. The binary form is left alone.
 */
function noteLoad(value: string, note: NoteStatement): void {
  const [format = '', rest = ''] = splitOnce(value.trim(), ' ');
  if (format.toUpperCase() === 'TEXT') noteLoadText(rest, note);
  else if (format.toUpperCase() === 'JSON') noteLoadJson(rest, note);
}

function noteLoadText(text: string, note: NoteStatement): void {
  for (const pair of text.split(',', HEAD_LIST_MAX_COUNT)) {
    const [name = '', number = ''] = splitOnce(pair.trim(), '=');
    if (name.trim() !== '') noteDecimal(`endpoint-load-metrics.${name.trim()}`, number, note);
  }
}

function noteLoadJson(text: string, note: NoteStatement): void {
  const report = asObject(parseJson(text));
  for (const [name, value] of Object.entries(report ?? {}).slice(0, HEAD_LIST_MAX_COUNT)) {
    if (typeof value === 'number') noteLoadNumber(name, value, note);
    for (const [inner, number] of Object.entries(asObject(value) ?? {}).slice(0, HEAD_LIST_MAX_COUNT)) {
      if (typeof number === 'number') noteLoadNumber(`${name}.${inner}`, number, note);
    }
  }
}

function noteLoadNumber(name: string, value: number, note: NoteStatement): void {
  if (Number.isFinite(value)) note(pathOf(`endpoint-load-metrics.${name}`), value);
}

function pathOf(name: string): string {
  return boundedText(`head.${name}`, STATEMENT_PATH_MAX_CHARS);
}

function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}
