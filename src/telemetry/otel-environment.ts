// What the OTEL_… variables ask of us: which signals go where and how, and everything in them that
// cannot work, said plainly before the process starts. Pure: environment in, plan or faults out.
// Endpoints, headers, certificates and compression are read by the exporters themselves.
import { withoutSecrets } from '../base/unsecret.ts';
import { spanLimitsOf, type OwnSpanLimits } from './span-limits.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'] as const;
export type OtlpProtocol = (typeof OTLP_PROTOCOLS)[number];

/** Where one signal is pushed. */
export interface SignalPlan {
  readonly otlp: OtlpProtocol | undefined;
  readonly console: boolean;
}

export interface OtelPlan {
  readonly traces: SignalPlan;
  readonly metrics: SignalPlan;
  /** OTLP histograms with exponential buckets. */
  readonly exponential: boolean;
  readonly metricIntervalMs: number;
  readonly metricTimeoutMs: number;
  /** An export's request sent → its answer whole: the longest that any signal allows. */
  readonly answerTimeoutMs: number;
  readonly spanDelayMs: number | undefined;
  readonly spanExportTimeoutMs: number | undefined;
  readonly spanQueueMaxCount: number | undefined;
  readonly spanBatchMaxCount: number | undefined;
  readonly spanLimits: OwnSpanLimits;
  /** Newest names of the GenAI conventions instead of those that dashboards were made for. */
  readonly latestGenAiNames: boolean;
}

type Signal = 'TRACES' | 'METRICS';
/** Signals that others may send through us; of logs we make none ourselves. */
export type PassedSignal = Signal | 'LOGS';

const METRIC_INTERVAL_MS = 60_000;
const METRIC_TIMEOUT_MS = 30_000;
const OTLP_TIMEOUT_MS = 10_000;

/** Values of OTEL_…_EXPORTER that we take. `prometheus` is the admin port, which is always there. */
const EXPORTERS: Readonly<Record<Signal, readonly string[]>> = {
  TRACES: ['otlp', 'console', 'none'],
  METRICS: ['otlp', 'console', 'prometheus', 'none'],
};

const AGGREGATION = 'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION';
const EXPONENTIAL = 'base2_exponential_bucket_histogram';
const AGGREGATIONS = ['explicit_bucket_histogram', EXPONENTIAL];
const TEMPORALITY = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE';
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);
const COMPRESSIONS = ['gzip', 'none'];
const POSITIVE_NUMBERS = [
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_METRIC_EXPORT_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT',
  'OTEL_EXPORTER_OTLP_METRICS_TIMEOUT',
  'OTEL_BSP_SCHEDULE_DELAY',
  'OTEL_BSP_EXPORT_TIMEOUT',
  'OTEL_BSP_MAX_QUEUE_SIZE',
  'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
  'OTEL_SPAN_EVENT_COUNT_LIMIT',
];

/** What to push where. The environment must have passed {@link checkOtelEnvironment}. */
export function otelPlan(env: Environment): OtelPlan {
  const intervalMs = numberOf(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? METRIC_INTERVAL_MS;
  const timeoutMs = numberOf(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? METRIC_TIMEOUT_MS;
  return {
    traces: signalPlan(env, 'TRACES'),
    metrics: signalPlan(env, 'METRICS'),
    exponential: read(env, AGGREGATION)?.toLowerCase() === EXPONENTIAL,
    metricIntervalMs: intervalMs,
    metricTimeoutMs: Math.min(timeoutMs, intervalMs),
    answerTimeoutMs: Math.max(otlpTimeoutMs(env, 'TRACES'), otlpTimeoutMs(env, 'METRICS')),
    spanDelayMs: numberOf(env, 'OTEL_BSP_SCHEDULE_DELAY'),
    spanExportTimeoutMs: numberOf(env, 'OTEL_BSP_EXPORT_TIMEOUT'),
    spanQueueMaxCount: numberOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE'),
    spanBatchMaxCount: numberOf(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    spanLimits: spanLimitsOf((name) => numberOf(env, name)),
    latestGenAiNames: listOf(env, 'OTEL_SEMCONV_STABILITY_OPT_IN').includes('gen_ai_latest_experimental'),
  };
}

function otlpTimeoutMs(env: Environment, signal: Signal): number {
  const own = numberOf(env, `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`);
  return own ?? numberOf(env, 'OTEL_EXPORTER_OTLP_TIMEOUT') ?? OTLP_TIMEOUT_MS;
}

/** Whether spans leave this process: only then may `traceparent` be ours. */
export function pushesTraces(plan: OtelPlan): boolean {
  return plan.traces.otlp !== undefined || plan.traces.console;
}

/** Every fault in the OTEL_… variables, each a sentence that says what to do. Empty when all is well. */
export function checkOtelEnvironment(env: Environment): string[] {
  if (isDisabled(env)) return [];
  return [
    ...checkSignal(env, 'TRACES'),
    ...checkSignal(env, 'METRICS'),
    ...endpointVariables().flatMap((name) => checkEndpoint(env, name)),
    ...POSITIVE_NUMBERS.flatMap((name) => checkNumber(env, name)),
    ...checkOneOf(env, AGGREGATION, AGGREGATIONS),
    ...['OTLP', 'OTLP_TRACES', 'OTLP_METRICS'].flatMap((part) => {
      return checkOneOf(env, `OTEL_EXPORTER_${part}_COMPRESSION`, COMPRESSIONS);
    }),
    ...checkOneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS),
    ...checkSamplerArgument(env),
    ...checkOneOf(env, TEMPORALITY, ['cumulative'], 'rubato sends cumulative metrics only'),
  ];
}

function checkSignal(env: Environment, signal: Signal): string[] {
  const variable = `OTEL_${signal}_EXPORTER`;
  const asked = listOf(env, variable);
  const faults = asked
    .filter((name) => !EXPORTERS[signal].includes(name))
    .map((name) => `${variable} is "${name}"; rubato knows ${EXPORTERS[signal].join(', ')}.`);
  if (asked.includes('otlp') && endpointOf(env, signal) === undefined) {
    faults.push(`${variable} asks for otlp, but there is no endpoint: set OTEL_EXPORTER_OTLP_ENDPOINT, or unset it.`);
  }
  // The general protocol is checked with each signal; it is one fault all the same.
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const protocols = signal === 'TRACES' ? ['OTEL_EXPORTER_OTLP_PROTOCOL', own] : [own];
  return [...faults, ...protocols.flatMap((name) => checkOneOf(env, name, OTLP_PROTOCOLS))];
}

function checkSamplerArgument(env: Environment): string[] {
  const value = read(env, 'OTEL_TRACES_SAMPLER_ARG');
  if (value === undefined || (Number(value) >= 0 && Number(value) <= 1)) return [];
  return [`OTEL_TRACES_SAMPLER_ARG is "${value}"; it must be a number from 0 to 1.`];
}

function checkEndpoint(env: Environment, name: string): string[] {
  const value = read(env, name);
  if (value === undefined) return [];
  const example = 'such as http://127.0.0.1:4318';
  if (!URL.canParse(value)) return [`${name} is "${withoutSecrets(value)}", which is no URL; write one ${example}.`];
  const { protocol, username, password } = new URL(value);
  if (username !== '' || password !== '') {
    return [`${name} holds a user name or password; put credentials into OTEL_EXPORTER_OTLP_HEADERS.`];
  }
  if (protocol === 'http:' || protocol === 'https:') return [];
  return [`${name} is "${withoutSecrets(value)}"; its scheme must be http or https, ${example}.`];
}

function checkNumber(env: Environment, name: string): string[] {
  const value = read(env, name);
  if (value === undefined || /^[1-9]\d{0,8}$/.test(value)) return [];
  return [`${name} is "${value}"; it must be a whole number above 0.`];
}

function checkOneOf(env: Environment, name: string, allowed: readonly string[], why?: string): string[] {
  const value = read(env, name)?.toLowerCase();
  if (value === undefined || allowed.includes(value)) return [];
  return [`${name} is "${value}"; ${why ?? `it must be one of ${allowed.join(', ')}`}.`];
}

function signalPlan(env: Environment, signal: Signal): SignalPlan {
  const asked = listOf(env, `OTEL_${signal}_EXPORTER`);
  if (isDisabled(env) || asked.includes('none')) return { otlp: undefined, console: false };
  const wantsOtlp = asked.length === 0 || asked.includes('otlp');
  const otlp = wantsOtlp && endpointOf(env, signal) !== undefined ? protocolOf(env, signal) : undefined;
  return { otlp, console: asked.includes('console') };
}

export function protocolOf(env: Environment, signal: PassedSignal): OtlpProtocol {
  const stated = read(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? read(env, 'OTEL_EXPORTER_OTLP_PROTOCOL');
  return OTLP_PROTOCOLS.find((protocol) => protocol === stated?.toLowerCase()) ?? 'http/protobuf';
}

function endpointOf(env: Environment, signal: Signal): string | undefined {
  return read(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? read(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
}

function endpointVariables(): readonly string[] {
  return ['', 'TRACES_', 'METRICS_', 'LOGS_'].map((part) => `OTEL_EXPORTER_OTLP_${part}ENDPOINT`);
}

/** Nothing is to leave this process for that signal. */
export function isSignalOff(env: Environment, signal: PassedSignal): boolean {
  return isDisabled(env) || listOf(env, `OTEL_${signal}_EXPORTER`).includes('none');
}

function isDisabled(env: Environment): boolean {
  return read(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
}

function listOf(env: Environment, name: string): readonly string[] {
  return (read(env, name) ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim().toLowerCase()]));
}

function numberOf(env: Environment, name: string): number | undefined {
  const value = read(env, name);
  return value === undefined ? undefined : Number(value);
}

/** The specification takes an empty variable for an unset one. */
export function read(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
