// The contract of a persona: the engine whose words, manners and statements the reference engine takes
// on. A persona is data and a writer; it computes nothing but how the truth of an answer is told.
import type { IncomingHttpHeaders } from 'node:http';
import type { ClockAnchor } from '../../base/clock.ts';
import type { AnswerPlan } from './answer.ts';
import type { EngineSpan } from './engine-span.ts';
import type { MetricRow, MetricsPage, NumberState } from './metrics-page.ts';
import type { GenerationRequest, RequestReading } from './request.ts';
import type { RequestTruth } from './truth.ts';

/** What is written at once; binary dialects write bytes. */
export type Written = string | Uint8Array;

/**
 * The ways in which a persona may tell of itself, each of which can be switched off as a server's flags
 * do. On means: as this engine tells it, so also only to those who ask, where the engine wants to be asked.
 */
export interface Signals {
  /** Times in the answer's own events. */
  readonly inBand: boolean;
  /** Token counts at the end of an answer. */
  readonly usage: boolean;
  /** Token counts with every event, for those who ask. */
  readonly continuousUsage: boolean;
  /** Times in the response head. */
  readonly headers: boolean;
  /** Spans, handed to `onSpans`. */
  readonly spans: boolean;
  /** The pages with aggregates. */
  readonly metrics: boolean;
  /** TensorRT-LLM's list of finished requests. */
  readonly perfMetrics: boolean;
}

export const ALL_SIGNALS: Signals = {
  inBand: true,
  usage: true,
  continuousUsage: true,
  headers: true,
  spans: true,
  metrics: true,
  perfMetrics: true,
};

/** When the parts that carry no token leave; engines differ in all of it. */
export interface StreamManners {
  /** vLLM: as the request is accepted. llama.cpp: as a slot takes it. SGLang, Ollama: with the first token. */
  readonly headAt: 'arrival' | 'slot' | 'first_token';
  /** vLLM, SGLang: with the first token. Triton's OpenAI front end: with the head. */
  readonly roleAt: 'head' | 'first_token';
  /** Comments while nothing else is said; DeepSeek sends them only until the request is scheduled. */
  readonly keepAlive?: { readonly everyMs: number; readonly text: string; readonly until: 'prefill' | 'end' };
}

/** One answer and all that may be told of it. */
export interface AnswerContext {
  readonly id: string;
  readonly createdEpochS: number;
  readonly model: string;
  readonly request: GenerationRequest;
  readonly plan: AnswerPlan;
  /** Grows while the answer is computed. */
  readonly truth: RequestTruth;
  readonly signals: Signals;
  /** Brings moments of the truth to wall time, for engines that state instants. */
  readonly anchor: ClockAnchor;
}

/** Puts one answer into the words of a dialect. Makes strings or bytes; knows no socket. */
export interface AnswerWriter {
  /** What comes before the first token and says nothing. */
  roles(): Written;
  /** All that one position yields. */
  tokens(position: number): Written;
  /** All that these positions yield, as one event a choice; left out where a dialect's events are told apart. */
  together?(from: number, to: number): Written;
  /** What closes the stream. */
  closing(): Written;
  /** The same answer in one piece. */
  whole(): string;
  /** Fields of the head that depend on the answer; called as the head leaves. */
  headers?(): Readonly<Record<string, string>>;
}

/** The names that an answer's id may be made of. */
export interface CallNames {
  /** Running number of the request within the engine. */
  readonly jobId: string;
  /** As the client named it, or made up. */
  readonly requestId: string;
}

/** One path that generates. */
export interface Route {
  /** Exact, or a pattern whose group `model` names the model. */
  readonly path: string | RegExp;
  /** Default: the manners of the persona. */
  readonly manners?: StreamManners;
  read(text: string, url: URL): RequestReading;
  writer(context: AnswerContext, url: URL): AnswerWriter;
  idOf(names: CallNames): string;
  /** Media type of a stream, default the one of server-sent events; it may depend on the query. */
  readonly streamType?: string | ((url: URL) => string);
}

/** What a page of the engine may show. */
export interface PageContext {
  readonly models: readonly string[];
  readonly startedEpochS: number;
  readonly metrics: MetricsPage;
  readonly state: NumberState;
  /** Takes the entries of TensorRT-LLM's ring; they are gone afterwards, as there. */
  takePerfEntries(): readonly object[];
}

/** A small answer that needs no engine. */
export interface Page {
  readonly path: string;
  /** The page exists only while this signal is on. */
  readonly signal?: keyof Signals;
  /** A text with its media type, or anything else as JSON. */
  body(context: PageContext): object | { readonly text: string; readonly type: string };
}

/** An answer that was computed to its end. */
export interface FinishedAnswer extends AnswerContext {
  readonly jobId: string;
  readonly path: string;
  readonly requestHeaders: IncomingHttpHeaders;
}

export interface Persona {
  /** On every answer that generates. */
  readonly headers: Readonly<Record<string, string>>;
  /** In the list of models. */
  readonly ownedBy: string;
  readonly manners: StreamManners;
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
  readonly metrics: readonly MetricRow[];
  /** Labels of every metric. */
  readonly metricLabels: (model: string) => Readonly<Record<string, string>>;
  readonly spans?: (finished: FinishedAnswer) => readonly EngineSpan[];
  readonly perfEntry?: (finished: FinishedAnswer) => object;
}
