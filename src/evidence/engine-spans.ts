// What an engine's own spans say of its queue and its prefill. Pure: the spans of one exchange in, one
// piece of evidence out. Whose spans they are, and how they came, is not decided here.
//
// Names and units as read in the engines' sources: vLLM `v1/engine/output_processor.py` (and V0's
// tracing), SGLang `srt/observability/{trace,req_time_stats}.py`, TGI `router/src/server.rs`,
// TensorRT-LLM `llmapi/otel_tracing.py` and `metrics/perf_utils.py`, Triton `src/tracer.cc`.
import type { Evidence } from '../record/stream-record.ts';
import type { EngineSpan } from './engine-span.ts';
import { exactEvidence, lengthNs, NS_PER_S } from './exact.ts';
import type { EvidenceSubject } from './source.ts';

export const ENGINE_SPANS = 'engine-spans';

const QUEUE = 'gen_ai.latency.time_in_queue';
const PREFILL = 'gen_ai.latency.time_in_model_prefill';
const FIRST_TOKEN = 'gen_ai.latency.time_to_first_token';
const KV_TRANSFER = 'gen_ai.latency.kv_cache_transfer_time';

/** Attributes that carry the id of a request, in the order in which they are believed. */
const REQUEST_IDS = ['gen_ai.request.id', 'rid'] as const;

/** All that is read here. Whoever decodes spans keeps no other attribute: prompts can be among them. */
export const SPAN_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...REQUEST_IDS,
  QUEUE,
  PREFILL,
  FIRST_TOKEN,
  KV_TRANSFER,
  'queue_time',
  'inference_time',
]);

/** Spans that SGLang makes by the step; nothing hangs below them, and they would crowd out all others. */
const STEP_SPANS: ReadonlySet<string> = new Set(['decode_loop', 'run_batch_cpu', 'spec_draft', 'spec_verify']);

/** False for spans that neither tell anything nor lead to one that does. */
export function isWorthKeeping({ name }: Pick<EngineSpan, 'name'>): boolean {
  return !STEP_SPANS.has(name);
}

/** The engine's id of the request that a span is about. */
export function requestIdOf({ attributes }: EngineSpan): string | undefined {
  for (const key of REQUEST_IDS) {
    const id = attributes[key];
    if (typeof id === 'string' && id !== '') return id;
    if (typeof id === 'number') return String(id);
  }
  return undefined;
}

export type SpanReading =
  | { readonly verdict: 'told'; readonly evidence: Evidence }
  /** Spans that state no time of ours, such as Triton's: its queue is not the one of the batcher behind it. */
  | { readonly verdict: 'silent' }
  /** More than one request, and nothing that tells which is this exchange's. */
  | { readonly verdict: 'ambiguous' };

const SILENT: SpanReading = { verdict: 'silent' };

/**
 * Reads the spans of one exchange. When they are about several requests (a gateway tried twice), only
 * the one with the answer's own id counts.
 */
export function readEngineSpans(
  spans: readonly EngineSpan[],
  subject: EvidenceSubject,
  responseId: string | undefined,
): SpanReading {
  // One span a choice, or one for all: what it says of time is of no single choice.
  if (subject.choiceCount > 1) return SILENT;
  const claims = [...sglangClaims(spans), ...spans.flatMap((span) => attributeClaim(span, subject) ?? [])];
  if (claims.length === 0) return SILENT;
  const own = claims.length === 1 ? claims : claims.filter(({ requestId }) => requestId === responseId);
  const [claim] = own;
  if (claim === undefined || own.length > 1) return { verdict: 'ambiguous' };
  return { verdict: 'told', evidence: claim.evidence };
}

interface Claim {
  readonly requestId: string | undefined;
  readonly evidence: Evidence;
}

/** What one span's attributes say; undefined when they say nothing. */
function attributeClaim(span: EngineSpan, subject: EvidenceSubject): Claim | undefined {
  // SGLang's root has a prefill that begins when the request left its front end, queue and all.
  if (span.attributes['rid'] !== undefined) return undefined;
  const evidence = genAiEvidence(span) ?? tgiEvidence(span, subject);
  return evidence && { requestId: requestIdOf(span), evidence };
}

/** vLLM states both lengths; its V0 and TensorRT-LLM state the queue and the time to the first token. */
function genAiEvidence({ attributes }: EngineSpan): Evidence | undefined {
  const queueNs = secondsNs(attributes[QUEUE]);
  if (queueNs === undefined) return undefined;
  const prefillNs = secondsNs(attributes[PREFILL]);
  if (prefillNs !== undefined) return told('queued → first scheduled → first token, engine core', queueNs, prefillNs);
  // With a cache that came from another engine, the prefill was there, and this one's first token waited for it.
  const transferNs = secondsNs(attributes[KV_TRANSFER]) ?? 0;
  const firstTokenNs = transferNs > 0 ? undefined : secondsNs(attributes[FIRST_TOKEN]);
  const restNs = firstTokenNs === undefined ? undefined : firstTokenNs - queueNs;
  return told('arrival → first scheduled → first token', queueNs, restNs);
}

/**
 * TGI states its queue, and inference as prefill and decode together. Decode is what was seen between
 * the first and the last token; both came the same way, so the way cancels out, unless a slow client held
 * up the second.
 */
function tgiEvidence({ attributes }: EngineSpan, subject: EvidenceSubject): Evidence | undefined {
  const queueNs = debugLengthNs(attributes['queue_time']);
  if (queueNs === undefined) return undefined;
  const inferenceNs = debugLengthNs(attributes['inference_time']);
  const { firstTokenAtNs, lastTokenAtNs, heldUp } = subject;
  const seen = heldUp !== true && firstTokenAtNs !== undefined && lastTokenAtNs !== undefined;
  const prefillNs = seen && inferenceNs !== undefined ? inferenceNs - (lastTokenAtNs - firstTokenAtNs) : undefined;
  return told('queued → batch start → inference time without first to last token received', queueNs, prefillNs);
}

const WAITING: ReadonlySet<string> = new Set(['prefill_bootstrap', 'prefill_waiting']);
const FORWARD = 'prefill_forward';
const CHUNK = 'chunked_prefill';

/**
 * SGLang: stages are spans below one span a scheduler process, below the request's root. The first
 * `prefill_forward` ends with the first token; a later one repeats the work of a retracted request.
 */
function sglangClaims(spans: readonly EngineSpan[]): Claim[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const byRequest = new Map<EngineSpan, EngineSpan[]>();
  for (const span of spans) {
    if (span.name !== FORWARD && span.name !== CHUNK && !WAITING.has(span.name)) continue;
    const root = rootOf(span, byId);
    const stages = byRequest.get(root);
    if (stages === undefined) byRequest.set(root, [span]);
    else stages.push(span);
  }
  return [...byRequest].flatMap(([root, stages]) => {
    const evidence = stageEvidence(stages);
    return evidence === undefined ? [] : [{ requestId: requestIdOf(root), evidence }];
  });
}

function rootOf(span: EngineSpan, byId: ReadonlyMap<string, EngineSpan>): EngineSpan {
  let root = span;
  // A span that is its own ancestor is possible on the wire; no chain is longer than all spans.
  for (let steps = 0; steps < byId.size; steps += 1) {
    const parent = root.parentSpanId === undefined ? undefined : byId.get(root.parentSpanId);
    if (root.attributes['rid'] !== undefined || parent === undefined) return root;
    root = parent;
  }
  return root;
}

function stageEvidence(stages: readonly EngineSpan[]): Evidence | undefined {
  // Every rank of a tensor-parallel engine tells the same story; one of them is enough.
  const first = earliest(stages.filter(({ name }) => name === FORWARD));
  const lane = stages.filter(({ parentSpanId }) => first === undefined || parentSpanId === first.parentSpanId);
  const waiting = lane.filter(({ name }) => WAITING.has(name));
  const queueFrom = earliest(waiting);
  const definition = 'wait queue entered → forward begun → prefill finished';
  if (first === undefined) {
    const waited = earliest(waiting.filter(({ name }) => name === 'prefill_waiting'));
    if (queueFrom === undefined || waited === undefined) return undefined;
    return told(definition, Number(waited.endEpochNs - queueFrom.startEpochNs), undefined);
  }
  // Older versions list the chunks of a long prompt beside the last piece, newer ones inside of it.
  const chunks = lane.filter((span) => span.name === CHUNK && span.startEpochNs < first.startEpochNs);
  const startNs = earliest([first, ...chunks])?.startEpochNs ?? first.startEpochNs;
  const queueNs = queueFrom === undefined ? undefined : Number(startNs - queueFrom.startEpochNs);
  return told(definition, queueNs, Number(first.endEpochNs - startNs));
}

function earliest(spans: readonly EngineSpan[]): EngineSpan | undefined {
  let found: EngineSpan | undefined;
  for (const span of spans) if (found === undefined || span.startEpochNs < found.startEpochNs) found = span;
  return found;
}

/** Exact evidence of the lengths that are possible; undefined when none is. */
function told(definition: string, queueNs: number | undefined, prefillNs: number | undefined): Evidence | undefined {
  return exactEvidence(ENGINE_SPANS, {
    definition,
    queueNs: lengthNs(queueNs, 1),
    prefillNs: lengthNs(prefillNs, 1),
  });
}

/** Seconds as a number; TensorRT-LLM writes −1 for what it does not know. */
function secondsNs(value: string | number | boolean | undefined): number | undefined {
  return typeof value === 'number' ? lengthNs(value, NS_PER_S) : undefined;
}

const UNIT_NS: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, μs: 1e3, us: 1e3, ms: 1e6, s: 1e9 };

/** A duration as Rust's `{:?}` prints it: `12.3ms`, `450µs`, `1.25s`. */
function debugLengthNs(value: string | number | boolean | undefined): number | undefined {
  const match = typeof value === 'string' ? /^"?(\d{1,12}(?:\.\d{1,9})?)(ns|µs|μs|us|ms|s)"?$/.exec(value) : null;
  if (match === null) return undefined;
  return lengthNs(Number(match[1]), UNIT_NS[match[2] ?? ''] ?? Number.NaN);
}
