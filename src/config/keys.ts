// The one table of configuration keys. A key is a flag, an environment variable and a YAML key of the
// same name with one help text; --help, the loader and the README's table all come from here.
import {
  ALLOWED_HOSTS_MAX_COUNT,
  BUCKET_EDGES_MAX_COUNT,
  MODELS_MAX_COUNT,
  RECORD_FILE_BYTES,
  RECORD_FILE_LEAST_BYTES,
  RELAYS_MAX_COUNT,
  STALL_MAX_MS,
} from '../base/limits.ts';
import { LOG_LEVELS } from '../base/log.ts';
import { CHUNK_DETAILS, CHUNK_FORMS, PROPAGATIONS } from './config.ts';
import { key, type KeySpec } from './key-spec.ts';
import { CLIENT_KEYS } from './keys-clients.ts';
import { ENGINE_KEYS } from './keys-engine.ts';
import { FLOOR_KEYS } from './keys-floor.ts';
import { HOP_KEYS } from './keys-hops.ts';
import { NETWORK_KEYS } from './keys-network.ts';
import { PAGE_KEYS } from './keys-page.ts';
import {
  type Reader,
  readBytes,
  readChoice,
  readEdges,
  readHeaderName,
  readHostPort,
  readInteger,
  readLabel,
  readNames,
  readSeconds,
  readSwitch,
  readText,
  readUpstream,
} from './values.ts';

export const KEYS = {
  upstream: key({
    placeholder: 'URL',
    help: 'The engine, or whatever stands before it. Requests that match no route go here.',
    read: readUpstream,
  }),
  listen: key({
    placeholder: 'HOST:PORT',
    fallback: '127.0.0.1:8080',
    help: 'Where clients connect. Port 0 takes any free one.',
    read: readHostPort,
  }),
  admin: key({
    placeholder: 'HOST:PORT',
    fallback: '127.0.0.1:9464',
    help: 'Where the live page, /metrics, /healthz, /readyz and /api are served.',
    read: readHostPort,
  }),
  'admin-allow-host': key({
    placeholder: 'NAME',
    isList: true,
    fallback: '',
    help: 'Host names the admin port answers to, besides IP addresses and localhost.',
    read: readNames('host names', ALLOWED_HOSTS_MAX_COUNT),
  }),
  ...HOP_KEYS,
  config: key({
    placeholder: 'FILE',
    help: 'A YAML file with any of these keys, and with routes, classes, edges and admission.',
    read: readText('the path of a YAML file'),
  }),
  relays: key({
    placeholder: 'N',
    fallback: '1',
    help: 'Threads that forward bytes, all on one port. More than 1 needs Linux.',
    read: readInteger(1, RELAYS_MAX_COUNT),
  }),
  record: key({
    placeholder: 'FILE',
    help: 'Writes the record and figures of every exchange to this file, one JSON object a line.',
    read: readText('the path of a file'),
  }),
  'record-max-bytes': key({
    placeholder: 'SIZE',
    unit: 'bytes',
    fallback: `${RECORD_FILE_BYTES / 1024 ** 2}MiB`,
    help: 'Size at which the record file is rotated.',
    read: readBytes(RECORD_FILE_LEAST_BYTES),
  }),
  'capture-text': key({
    placeholder: '',
    isSwitch: true,
    fallback: 'false',
    help: 'Also writes prompts and answers to the record file, up to 64 KiB each, and nowhere else. Said at every start.',
    read: readSwitch,
  }),
  chunks: key({
    placeholder: CHUNK_DETAILS.join('|'),
    fallback: 'all',
    help: 'Which exchanges carry the stamps of every chunk on their span.',
    read: readChoice(CHUNK_DETAILS),
  }),
  'chunks-as': key({
    placeholder: CHUNK_FORMS.join('|'),
    fallback: 'arrays',
    help: 'How these stamps are written: as arrays on one span, or as one span event a chunk.',
    read: readChoice(CHUNK_FORMS),
  }),
  'keep-slow-ms': key({
    placeholder: 'MS',
    unit: 'ms',
    fallback: '2000',
    help: 'Time to first token from which --chunks kept keeps the chunks of an exchange.',
    read: readInteger(1, STALL_MAX_MS),
  }),
  drain: key({
    placeholder: 'SECONDS',
    unit: 's',
    fallback: '25',
    help: 'How long open streams may go on after SIGTERM.',
    read: readSeconds(0),
  }),
  'drain-delay': key({
    placeholder: 'SECONDS',
    unit: 's',
    fallback: '0',
    help: 'How long new requests are still taken after SIGTERM, while /readyz says no, for balancers that are slow to notice.',
    read: readSeconds(0),
  }),
  'class-header': key({
    placeholder: 'NAME',
    fallback: 'x-traffic-class',
    help: 'Request header whose value names the traffic class.',
    read: readHeaderName,
  }),
  'stall-ms': key({
    placeholder: 'MS',
    unit: 'ms',
    fallback: '100',
    help: 'Smallest gap that can be a stall, for classes that do not set their own.',
    read: readInteger(1, STALL_MAX_MS),
  }),
  models: key({
    placeholder: 'NAME',
    isList: true,
    fallback: '',
    help: 'Model names that get a label of their own first.',
    read: readNames('model names', MODELS_MAX_COUNT),
  }),
  'prompt-buckets': key({
    placeholder: 'TOKENS',
    isList: true,
    unit: 'tokens',
    fallback: '256,1024,4096,16384,65536',
    help: 'Edges of the label prompt_bucket.',
    read: readEdges(BUCKET_EDGES_MAX_COUNT),
  }),
  'output-buckets': key({
    placeholder: 'TOKENS',
    isList: true,
    unit: 'tokens',
    fallback: '64,256,1024,4096',
    help: 'Edges of the label output_bucket.',
    read: readEdges(BUCKET_EDGES_MAX_COUNT),
  }),
  propagate: key({
    placeholder: PROPAGATIONS.join('|'),
    fallback: 'auto',
    help: 'Takes part in W3C trace context. auto does so only with an OTLP endpoint, --otlp-listen, --edge or --peer; else traceparent passes untouched.',
    read: readChoice(PROPAGATIONS),
  }),
  ...ENGINE_KEYS,
  ...FLOOR_KEYS,
  ...NETWORK_KEYS,
  ...CLIENT_KEYS,
  ...PAGE_KEYS,
  'gen-ai-provider': key({
    placeholder: 'NAME',
    fallback: 'unknown',
    help: 'Value of gen_ai.provider.name on the gen_ai metrics, such as openai or the name of your platform.',
    read: readLabel,
  }),
  'gen-ai-client-metrics': key({
    placeholder: '',
    isSwitch: true,
    fallback: 'false',
    help: 'Also emits the gen_ai.client metrics of the OpenTelemetry conventions.',
    read: readSwitch,
  }),
  'log-level': key({
    placeholder: LOG_LEVELS.join('|'),
    fallback: 'info',
    help: 'Least severe log line written to standard error.',
    read: readChoice(LOG_LEVELS),
  }),
};

export type KeyName = keyof typeof KEYS;
type ValueOf<Spec> = Spec extends { read: Reader<infer Value> } ? Value : never;
/** The values that were set, or have a default. */
export type KeyValues = { [Name in KeyName]?: ValueOf<(typeof KEYS)[Name]> };

export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

/** Keys that only a YAML file can hold, because they have structure. */
export const STRUCTURED_KEYS = {
  routes:
    'Upstreams by path or host: a list of { name, upstream, prefix or host, engine, engine_metrics, engine_perf_metrics, engine_model, engine_hardware, engine_tp, engine_weights_dtype, engine_kv_dtype }. The first that matches wins.',
  edges: 'Listeners before gateways, beside those of the key edge: a list of { name, listen, upstream, host_header }.',
  classes:
    'Traffic classes: a list of { name, stall_ms, match, preset, objectives, job }. The first class with a matching rule wins.',
  admission:
    'Who may be at the engine at once, off without it: { max_running, classes: [{ class, priority, max_running, max_waiting, max_wait_ms }] }, for each route. The rest waits its turn, or gets 503.',
  floor:
    'Models and accelerators beside the well-known ones: { models: [{ name, parameters, layers, kv_heads, head_dim, … }], hardware: [{ name, memory_gb, gb_per_second, tflops, … }] }. "rubato floor --help" shows them.',
} as const;

export function envName(name: KeyName): string {
  return `RUBATO_${name.toUpperCase().replaceAll('-', '_')}`;
}

export function flagName(name: KeyName): string {
  return `--${name}`;
}

export function keySpec(name: KeyName): KeySpec {
  return KEYS[name];
}
