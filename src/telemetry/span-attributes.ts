// What the spans of an exchange say in attributes. Pure: report in, attributes out; what is not known is undefined.
// Never a header value, a query string or a text of the conversation; the record does not even hold them.
import type { AttributeValue } from '@opentelemetry/api';
import type { Report } from '../judge/report.ts';
import { type TtftPart, ttftParts } from '../measure/ttft-split.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import type { AttributeParts } from './attribute-parts.ts';
import { errorTypeOf } from './exchange-facts.ts';
import { GEN_AI, HTTP, knownMethod, routeOf } from './names.ts';
import { hopAttributes } from './span-hop.ts';
import { engineAttributes, evidenceAttributes, saidAttributes } from './span-evidence.ts';
import type { SpanAttributeName } from './span-names.ts';
import { sloAttributes } from './span-slo.ts';
import { partsUs, roundedUs } from './span-time.ts';

/** Our own attributes; a value that is not known stays undefined and is left out. */
type Own = Partial<Record<SpanAttributeName, AttributeValue | undefined>>;

/** Where a route's upstream is, for `server.address` on the CLIENT span. */
export interface UpstreamAddress {
  readonly address: string;
  readonly port: number;
}

/** By which spans of both kinds can be found alike. */
function labelAttributes(report: Report): Own {
  const { record, labels } = report;
  return {
    'rubato.record.id': record.id,
    'rubato.class': labels.class,
    'rubato.model': labels.model,
    'rubato.route': labels.route,
    'rubato.outcome': record.end.outcome,
  };
}

export function serverAttributes(report: Report): AttributeParts {
  const { record, figures } = report;
  return [
    httpAttributes(record),
    labelAttributes(report),
    engineAttributes(record),
    endAttributes(report),
    startAttributes(figures),
    splitAttributes(figures.split),
    deliveryAttributes(report.delivery),
    streamAttributes(report),
    evidenceAttributes(record),
    demandAttributes(record),
    sloAttributes(report),
  ];
}

/** Ids stand here and in records, and are no labels. */
function demandAttributes({ retryOf, job }: StreamRecord): Own {
  return {
    'rubato.retry.sign': retryOf?.sign,
    'rubato.retry.attempt': retryOf?.attempt,
    'rubato.retry.of': retryOf?.of,
    'rubato.retry.first': retryOf?.first,
    'rubato.job.id': job?.id,
    'rubato.job.size': job?.size,
  };
}

function httpAttributes(record: StreamRecord): Record<string, AttributeValue | undefined> {
  const { method, path, httpVersion } = record.request;
  const known = knownMethod(method);
  return {
    [HTTP.method]: known,
    [HTTP.methodOriginal]: known === method ? undefined : method,
    [HTTP.path]: path,
    [HTTP.scheme]: 'http',
    [HTTP.protocolVersion]: httpVersion,
    [HTTP.route]: routeOf(path)?.route,
    [HTTP.status]: record.response.status,
    [HTTP.errorType]: errorTypeOf(record),
  };
}

function endAttributes({ record, labels, outputBucket }: Report): Own {
  const { request, response, answer, end } = record;
  return {
    'rubato.prompt_bucket': labels.promptBucket,
    'rubato.output_bucket': outputBucket,
    'rubato.phase': end.phase,
    'rubato.end.wire': end.wire,
    'rubato.end.reason': end.reason,
    'rubato.end.code': end.code,
    'rubato.doubts': record.doubts.length > 0 ? [...record.doubts] : undefined,
    'rubato.dialect': answer.dialect,
    'rubato.stream': answer.streamed,
    'rubato.other_clock.request_start_epoch_ms': request.otherClockStartEpochMs,
    'rubato.other_clock.request_start_to_head_ms': clientAheadMs(record),
    'rubato.request_bytes': request.bodyBytes,
    'rubato.response_bytes': response.receivedBytes,
    'rubato.delivered_bytes': response.deliveredBytes,
    'rubato.client_unacked_max_bytes': response.clientUnackedMaxBytes,
    'rubato.chunk.count': response.chunkCount,
    'rubato.connection.reused': record.connection?.reused,
    'rubato.connection.retried': record.connection?.retried,
  };
}

/** Two clocks that nobody compared: a hint at time lost before rubato, and negative when the client's is ahead. */
function clientAheadMs({ request, openedAtEpochMs }: StreamRecord): number | undefined {
  const { otherClockStartEpochMs: startEpochMs } = request;
  return startEpochMs === undefined ? undefined : Math.round((openedAtEpochMs - startEpochMs) * 1e3) / 1e3;
}

function startAttributes(figures: Report['figures']): Own {
  return {
    'rubato.no_first_token': figures.noFirstToken,
    'rubato.duration_us': us(figures.durationNs),
    'rubato.head_us': us(figures.headNs),
    'rubato.ttft_us': us(figures.ttftNs),
    'rubato.ttfo_us': us(figures.ttfoNs),
    'rubato.thinking_us': us(figures.thinkingNs),
    'rubato.ttft.per_1k_uncached_tokens_us': us(figures.ttftPer1kNs),
  };
}

function streamAttributes({ record, figures }: Report): Own {
  const { gapsReceived: gaps } = figures;
  return {
    'rubato.tpot_us': us(figures.tpotNs),
    'rubato.tokens.basis': record.tokens.basis,
    'rubato.gap.count': record.answer.streamed ? gaps.count : undefined,
    'rubato.gap.max_us': us(gaps.maxNs),
    'rubato.gap.p50_us': us(gaps.p50Ns),
    'rubato.gap.p95_us': us(gaps.p95Ns),
    'rubato.gap.p99_us': us(gaps.p99Ns),
    'rubato.gap.flushed_max_us': us(figures.gapsFlushed.maxNs),
    'rubato.gap.tainted_count': Object.values(figures.taintedCounts).reduce((sum, count) => sum + count, 0),
    'rubato.stall.count': figures.stallCount,
    'rubato.coalesced_count': figures.coalescedCount,
    'rubato.hold.max_us': us(figures.holdMaxNs),
    'rubato.hold.p50_us': us(figures.holdP50Ns),
    'rubato.admission.wait_us': us(record.marks.admittedAtNs),
    'rubato.backpressure_us': us(figures.backpressureNs),
    'rubato.stamp_error.max_us': us(figures.stampErrorMaxNs),
  };
}

function deliveryAttributes(delivery: Report['delivery']): Own {
  return {
    'rubato.delivery.verdict': delivery?.word,
    'rubato.delivery.way': delivery?.way,
    'rubato.delivery.confidence': delivery?.confidence,
  };
}

/** The parts in µs sum to the TTFT in µs, as they do in ns: boundaries are rounded, not lengths. */
function splitAttributes(split: Report['figures']['split']): Own {
  if (split === undefined) return {};
  const parts = ttftParts(split);
  const lengthsUs = partsUs(parts.map(({ partNs }) => partNs));
  const attributes: Own = { 'rubato.ttft.basis': split.basis };
  for (const [index, { part }] of parts.entries()) attributes[PART_NAMES[part]] = lengthsUs[index];
  return attributes;
}

/** Constants, for a name that is put together anew is looked for among all texts each time. */
const PART_NAMES = {
  queue: 'rubato.ttft.queue_us',
  prefill: 'rubato.ttft.prefill_us',
  network: 'rubato.ttft.network_us',
  rubato: 'rubato.ttft.rubato_us',
  other: 'rubato.ttft.other_us',
  engine: 'rubato.ttft.engine_us',
} as const satisfies Record<TtftPart, SpanAttributeName>;

export interface ClientContext {
  readonly provider: string;
  readonly upstream: UpstreamAddress | undefined;
  /** Start of the CLIENT span, ns since the exchange opened. */
  readonly startAtNs: number;
}

export function clientAttributes(report: Report, context: ClientContext): AttributeParts {
  const { record } = report;
  const status = record.response.status;
  return [
    {
      [HTTP.method]: knownMethod(record.request.method),
      [HTTP.status]: status,
      [HTTP.serverAddress]: context.upstream?.address,
      [HTTP.serverPort]: context.upstream?.port,
      // For a client a 4xx is an error as well, and here we are the engine's client.
      [HTTP.errorType]: errorTypeOf(record),
    },
    labelAttributes(report),
    engineAttributes(record),
    genAiAttributes(report, context),
    saidAttributes(record),
    hopAttributes(report),
  ];
}

function genAiAttributes(
  { record, figures }: Report,
  context: ClientContext,
): Record<string, AttributeValue | undefined> {
  const known = routeOf(record.request.path);
  if (known === undefined) return {};
  const { request, answer } = record;
  // Whoever sums usage up over spans would count a stream twice that is seen behind the hop as well.
  const tokens = record.edge === undefined ? record.tokens : {};
  const firstChunkNs = answer.streamed ? figures.firstEventNs : undefined;
  return {
    [GEN_AI.operationName]: known.operation,
    [GEN_AI.providerName]: context.provider,
    [GEN_AI.requestModel]: request.model,
    // The conventions want it when it is true only.
    [GEN_AI.requestStream]: request.stream === true ? true : undefined,
    [GEN_AI.requestMaxTokens]: request.maxTokens,
    [GEN_AI.requestChoiceCount]: request.choices,
    [GEN_AI.responseModel]: answer.model,
    [GEN_AI.responseId]: answer.responseId,
    [GEN_AI.responseFinishReasons]: finishReasons(record),
    [GEN_AI.responseTimeToFirstChunk]:
      firstChunkNs === undefined ? undefined : (firstChunkNs - context.startAtNs) / 1e9,
    [GEN_AI.usageInputTokens]: tokens.prompt,
    [GEN_AI.usageOutputTokens]: tokens.output,
    [GEN_AI.usageCacheReadTokens]: tokens.cached,
    [GEN_AI.usageReasoningTokens]: tokens.reasoning,
  };
}

/** A stream that was cut before its end says `error` where the reason would stand. */
function finishReasons(record: StreamRecord): string[] | undefined {
  const { finishReasons: seen, streamed, choiceCount } = record.answer;
  const missingCount = streamed && errorTypeOf(record) !== undefined ? Math.max(choiceCount - seen.length, 0) : 0;
  const reasons = [...seen, ...Array.from<string>({ length: missingCount }).fill('error')];
  return reasons.length > 0 ? reasons : undefined;
}

function us(lengthNs: number | undefined): number | undefined {
  return lengthNs === undefined ? undefined : roundedUs(lengthNs);
}
