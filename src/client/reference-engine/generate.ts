// Generation requests: body in, refusals, and the choice of what is played. How an answer is timed and
// worded is decided elsewhere.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClockAnchor } from '../../base/clock.ts';
import { NAME_MAX_CHARS, REFERENCE_BODY_MAX_BYTES, REFERENCE_WAITING_MAX_COUNT } from '../../base/limits.ts';
import { AnswerWire } from './answer-wire.ts';
import { planAnswer } from './answer.ts';
import type { EngineLoop } from './engine-loop.ts';
import type { EngineSpan } from './engine-span.ts';
import type { MetricsPage } from './metrics-page.ts';
import type { EngineModel } from './model.ts';
import { observedOf } from './observed.ts';
import type { PerfRing } from './perf-ring.ts';
import type { AnswerContext, FinishedAnswer, Persona, Route, Signals, StreamManners } from './persona.ts';
import { JSON_HEADERS, playModelled, playScript } from './play.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { GenerationRequest } from './request.ts';
import type { Script } from './script.ts';
import type { EngineStats } from './stats.ts';
import { Teller } from './telling.ts';
import type { TruthEnd, TruthLog } from './truth.ts';

/** A model named so is answered by the script of that name. */
const SCRIPT_MODEL_PREFIX = 'script:';
/** A request with this header is answered by the script it names. */
const SCRIPT_HEADER = 'x-reference-script';

/** What all requests of one engine share. */
export interface Door {
  readonly seed: number;
  readonly models: readonly string[];
  readonly scripts: ReadonlyMap<string, Script>;
  readonly scriptNow: (() => string | undefined) | undefined;
  readonly persona: Persona;
  readonly signals: Signals;
  /** Manners that stand above those of every route. */
  readonly manners: Partial<StreamManners>;
  readonly model: EngineModel;
  readonly prefixCache: PrefixCache | undefined;
  /** Wall time the engine started, for `created` fields. */
  readonly startedEpochS: number;
  readonly anchor: ClockAnchor;
  readonly loop: EngineLoop;
  readonly truths: TruthLog;
  readonly stats: EngineStats;
  readonly metrics: MetricsPage;
  readonly perfRing: PerfRing;
  readonly onSpans: ((spans: readonly EngineSpan[]) => void) | undefined;
}

/** A generation request as its head has come. */
export interface Arrival {
  readonly door: Door;
  readonly route: Route;
  readonly url: URL;
  readonly arrivedAtNs: number;
}

/** One generation request with its names. */
interface Call extends Arrival {
  readonly jobId: string;
  readonly requestId: string;
  readonly scriptByHeader: string | undefined;
  readonly requestHeaders: IncomingMessage['headers'];
}

type Refuse = (status: number, message: string, type: string) => void;

/** Answers one generation request: reads its body, settles what to say and plays it. */
export function generate(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
  const { door } = arrival;
  const { headers: requestHeaders } = request;
  door.stats.arrivedCount += 1;
  const jobId = String(door.stats.arrivedCount);
  const named = requestHeaders['x-request-id'];
  const requestId = typeof named === 'string' && named !== '' ? named.slice(0, NAME_MAX_CHARS) : `ref-${jobId}`;
  const scriptByHeader = requestHeaders[SCRIPT_HEADER]?.toString();
  const call: Call = { ...arrival, jobId, requestId, scriptByHeader, requestHeaders };
  readBody(request, (text) => answer(call, text, response));
  // A client that leaves while its body is still on the way never gets as far as a wire.
  request.on('close', () => {
    if (!request.complete) door.stats.abortedCount += 1;
  });
}

/** The body is whole, or was too large to be taken (then there is no text). */
function answer(call: Call, text: string | undefined, response: ServerResponse): void {
  const { door, route, url, requestId, scriptByHeader, arrivedAtNs } = call;
  const reading = text === undefined ? { fault: '' } : route.read(text, url);
  const scriptName =
    scriptByHeader ?? door.scriptNow?.() ?? ('request' in reading ? scriptNameOf(reading.request.model) : undefined);
  const truth = door.truths.open(requestId, scriptName === undefined ? 'modelled' : 'script', arrivedAtNs);
  let callOff = (): void => {};
  const wire = new AnswerWire(response, truth, (end) => {
    door.stats[COUNTED_AS[end]] += 1;
    callOff();
  });
  if (wire.ended) return;
  const refuse: Refuse = (status, message, type) =>
    wire.whole(status, JSON_HEADERS, JSON.stringify(errorBody(message, type, status)), 'refused');
  if (text === undefined) return refuse(413, 'The body is too large.', 'BadRequestError');
  if (scriptName !== undefined) {
    const script = door.scripts.get(scriptName);
    if (script === undefined) return refuse(404, 'There is no script of that name.', 'NotFoundError');
    callOff = playScript(wire, script);
    return;
  }
  if ('fault' in reading) return refuse(400, reading.fault, 'BadRequestError');
  const context = contextOf(call, reading.request, truth, refuse);
  if (context !== undefined) callOff = compute(call, context, wire);
}

/** Settles what is to be told, unless the request can never be served. */
function contextOf(
  { door, route, jobId, requestId }: Call,
  asked: GenerationRequest,
  truth: AnswerContext['truth'],
  refuse: Refuse,
): AnswerContext | undefined {
  const { signals, startedEpochS: createdEpochS, anchor, loop } = door;
  // Some dialects need not name the model; an engine has one.
  const model = asked.model === '' ? (door.models[0] ?? '') : asked.model;
  const fault = ((): Parameters<Refuse> | undefined => {
    if (!door.models.includes(model)) return [404, 'The model does not exist.', 'NotFoundError'];
    if (loop.waitingCount >= REFERENCE_WAITING_MAX_COUNT) return [503, 'Too many wait.', 'ServerError'];
    return undefined;
  })();
  if (fault !== undefined) {
    refuse(...fault);
    return undefined;
  }
  const request = {
    ...asked,
    model,
    includeUsage: signals.usage && asked.includeUsage,
    continuousUsage: signals.usage && signals.continuousUsage && asked.continuousUsage,
  };
  const planned = planAnswer(request, door.seed);
  const outputTokens = planned.choices.map((choice) => choice.fragments.length);
  if (!loop.fits({ id: jobId, promptTokens: planned.promptTokens, outputTokens })) {
    refuse(400, 'The request is longer than the cache of this engine.', 'BadRequestError');
    return undefined;
  }
  const cachedTokens = door.prefixCache?.enter(request.promptText, planned.promptTokens);
  const plan = cachedTokens === undefined ? planned : { ...planned, cachedTokens };
  return { id: route.idOf({ jobId, requestId }), createdEpochS, model, request, plan, truth, signals, anchor };
}

/** Hands a request to the modelled engine; returns how to call it off. */
function compute(call: Call, context: AnswerContext, wire: AnswerWire): () => void {
  const { door, route, url } = call;
  const { stats, persona, metrics } = door;
  const { plan, request, truth } = context;
  const { streamType } = route;
  return playModelled(wire, door.loop, {
    jobId: call.jobId,
    plan,
    writer: route.writer(context, url),
    stream: request.stream,
    manners: { ...(route.manners ?? persona.manners), ...door.manners },
    teller: new Teller(door.model),
    streamType: typeof streamType === 'function' ? streamType(url) : streamType,
    headers: persona.headers,
    onTokens: (position, tokenCount) => {
      // vLLM counts a prompt when its first token is there; an abort before that counts nothing.
      if (position === 1) {
        stats.promptTokens += plan.promptTokens;
        stats.cachedTokens += plan.cachedTokens ?? 0;
        const { queueNs, prefillNs } = observedOf(truth);
        stats.queueNs += queueNs;
        stats.prefillNs += prefillNs;
      }
      stats.generationTokens += tokenCount;
    },
    onStage: (stage) => metrics.observe(stage, observedOf(truth)),
    onFinished: () =>
      finished({ ...context, jobId: call.jobId, path: url.pathname, requestHeaders: call.requestHeaders }, door),
  });
}

/** What engines tell elsewhere of an answer that came to its end. */
function finished(answered: FinishedAnswer, { persona, signals, metrics, perfRing, onSpans }: Door): void {
  metrics.observe('finish', observedOf(answered.truth));
  if (signals.perfMetrics && persona.perfEntry !== undefined) perfRing.add(persona.perfEntry(answered));
  if (!signals.spans || persona.spans === undefined || onSpans === undefined) return;
  const spans = persona.spans(answered);
  if (spans.length > 0) onSpans(spans);
}

const COUNTED_AS = {
  complete: 'completedCount',
  aborted: 'abortedCount',
  refused: 'refusedCount',
  cut: 'cutCount',
} as const satisfies Record<TruthEnd, keyof EngineStats>;

/** The whole body as text, or undefined as soon as it is too large. Not called when the client leaves. */
function readBody(request: IncomingMessage, onBody: (text: string | undefined) => void): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  request.on('data', (part: Buffer) => {
    if (bytes > REFERENCE_BODY_MAX_BYTES) return;
    bytes += part.byteLength;
    parts.push(part);
    if (bytes <= REFERENCE_BODY_MAX_BYTES) return;
    parts.length = 0;
    onBody(undefined);
  });
  request.on('end', () => {
    if (bytes <= REFERENCE_BODY_MAX_BYTES) onBody(Buffer.concat(parts).toString('utf8'));
  });
}

function scriptNameOf(model: string): string | undefined {
  return model.startsWith(SCRIPT_MODEL_PREFIX) ? model.slice(SCRIPT_MODEL_PREFIX.length) : undefined;
}

/** An error in the words of OpenAI's API. */
export function errorBody(message: string, type: string, code: number): object {
  return { error: { message, type, param: null, code } };
}
