// One request as GuideLLM keeps it (its `GenerativeRequestStats`, guidellm 0.8.1): moments in seconds since the epoch,
// and what it reckons from them. What no engine stated and nothing measured is null, never 0. Pure.
import type { LoadExchange } from '../result.ts';

const MS_PER_S = 1e3;
const NS_PER_MS = 1e6;

/** What of a request goes into the file; small, for many are kept. */
export interface KeptRequest {
  readonly id: string;
  readonly isOk: boolean;
  readonly error: string | undefined;
  readonly startS: number;
  readonly endS: number;
  /** Only where something beside the answers before said when it was due. */
  readonly dueS: number | undefined;
  readonly firstS: number | undefined;
  readonly firstOutputS: number | undefined;
  readonly lastS: number | undefined;
  readonly eventCount: number;
  readonly textEventCount: number;
  readonly promptTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly plannedPromptTokens: number;
  readonly plannedOutputTokens: number;
}

export function keptRequest(exchange: LoadExchange, isOpen: boolean): KeptRequest {
  const { sentEpochMs, waitNs, outcome, error, status } = exchange;
  const momentS = (afterNs: number | undefined): number | undefined =>
    afterNs === undefined ? undefined : (sentEpochMs + afterNs / NS_PER_MS) / MS_PER_S;
  const isOk = outcome === 'ok';
  return {
    id: exchange.requestId ?? String(exchange.ordinal),
    isOk,
    error: isOk ? undefined : [outcome, status, error].filter((part) => part !== undefined).join(' '),
    startS: sentEpochMs / MS_PER_S,
    endS: momentS(exchange.durationNs) ?? 0,
    dueS: isOpen ? momentS(-waitNs) : undefined,
    firstS: momentS(exchange.ttftNs),
    firstOutputS: momentS(exchange.ttfoNs),
    lastS: exchange.ttftNs === undefined ? undefined : momentS(exchange.lastTextNs),
    eventCount: exchange.eventCount,
    textEventCount: exchange.textEventCount,
    promptTokens: exchange.promptTokens,
    outputTokens: exchange.outputTokens,
    plannedPromptTokens: exchange.plannedPromptTokens,
    plannedOutputTokens: exchange.plannedOutputTokens,
  };
}

/** Lengths of one request by GuideLLM's definitions. */
export interface RequestFigures {
  readonly latencyS: number;
  readonly scheduledLatencyS: number | undefined;
  readonly dispatchDelayS: number | undefined;
  readonly ttftMs: number | undefined;
  readonly ttfoMs: number | undefined;
  /** From sent to the last token, by all tokens: TTFT is in it. */
  readonly timePerTokenMs: number | undefined;
  /** First token → last, by the tokens behind the first: what is TPOT elsewhere here. */
  readonly interTokenMs: number | undefined;
  readonly totalTokens: number | undefined;
}

export function figuresOfRequest(request: KeptRequest): RequestFigures {
  const { startS, endS, dueS, firstS, lastS, outputTokens, promptTokens } = request;
  const ms = (fromS: number | undefined, toS: number | undefined): number | undefined =>
    fromS === undefined || toS === undefined ? undefined : MS_PER_S * (toS - fromS);
  const shared = (lengthMs: number | undefined, tokens: number): number | undefined =>
    lengthMs === undefined || tokens < 1 ? undefined : lengthMs / tokens;
  const counted = outputTokens ?? 0;
  return {
    latencyS: endS - startS,
    scheduledLatencyS: dueS === undefined ? undefined : endS - dueS,
    dispatchDelayS: dueS === undefined ? undefined : startS - dueS,
    ttftMs: ms(startS, firstS),
    ttfoMs: ms(startS, request.firstOutputS),
    timePerTokenMs: shared(ms(startS, lastS), counted),
    interTokenMs: shared(ms(firstS, lastS), counted - 1),
    totalTokens: promptTokens === undefined || outputTokens === undefined ? undefined : promptTokens + outputTokens,
  };
}

/** `runStartS` is when the run began, from which GuideLLM counts the moment that a schedule wants. */
export function requestJson(request: KeptRequest, runStartS: number): object {
  const { id, startS, endS, dueS } = request;
  const figures = figuresOfRequest(request);
  const perSecond = (tokens: number | undefined): number | null =>
    tokens === undefined || figures.latencyS <= 0 ? null : tokens / figures.latencyS;
  return {
    type_: 'generative_request_stats',
    request_id: id,
    info: {
      request_id: id,
      status: request.isOk ? 'completed' : 'errored',
      scheduler_start_time: runStartS,
      timings: timingsJson(request),
      settings: dueS === undefined ? {} : { relative_timestamp: Math.max(0, dueS - runStartS) },
      error: request.error ?? null,
    },
    input_metrics: { text_tokens: request.promptTokens ?? null },
    output_metrics: { text_tokens: request.outputTokens ?? null },
    request_start_time: startS,
    request_end_time: endS,
    request_latency: figures.latencyS,
    request_dispatch_delay: figures.dispatchDelayS ?? null,
    request_scheduled_latency: figures.scheduledLatencyS ?? null,
    prompt_tokens: request.promptTokens ?? null,
    output_tokens: request.outputTokens ?? null,
    total_tokens: figures.totalTokens ?? null,
    time_to_first_token_ms: figures.ttftMs ?? null,
    time_to_first_output_token_ms: figures.ttfoMs ?? null,
    time_per_output_token_ms: figures.timePerTokenMs ?? null,
    inter_token_latency_ms: figures.interTokenMs ?? null,
    tokens_per_second: perSecond(figures.totalTokens),
    output_tokens_per_second: perSecond(request.outputTokens),
  };
}

function timingsJson(request: KeptRequest): object {
  return {
    targeted_start: request.dueS ?? null,
    resolve_start: request.startS,
    request_start: request.startS,
    first_token_iteration: request.firstS ?? null,
    first_output_token_iteration: request.firstOutputS ?? null,
    last_token_iteration: request.lastS ?? null,
    request_iterations: request.eventCount,
    token_iterations: request.textEventCount,
    request_end: request.endS,
    resolve_end: request.endS,
  };
}
