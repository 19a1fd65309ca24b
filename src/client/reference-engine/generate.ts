// Generation requests: body in, refusals, and the choice of what is played. How an answer is timed and
// worded is decided elsewhere.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NAME_MAX_CHARS, REFERENCE_BODY_MAX_BYTES, REFERENCE_WAITING_MAX_COUNT } from '../../base/limits.ts';
import { AnswerWire } from './answer-wire.ts';
import { planAnswer } from './answer.ts';
import { ChatWriter, type AnswerNames } from './chat-writer.ts';
import type { EngineLoop } from './engine-loop.ts';
import { JSON_HEADERS, playModelled, playScript, type StreamManners } from './play.ts';
import { readRequest, type GenerationRequest, type RequestReading } from './request.ts';
import type { Script } from './script.ts';
import type { EngineStats } from './stats.ts';
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
  readonly manners: StreamManners;
  readonly reasoningField: AnswerNames['reasoningField'];
  readonly kvCapacityTokens: number | undefined;
  /** Wall time the engine started, for `created` fields. */
  readonly startedEpochS: number;
  readonly loop: EngineLoop;
  readonly truths: TruthLog;
  readonly stats: EngineStats;
}

/** A generation request as its head has come. */
export interface Arrival {
  readonly door: Door;
  readonly api: GenerationRequest['api'];
  readonly arrivedAtNs: number;
}

/** One generation request with its names. */
interface Call extends Arrival {
  readonly jobId: string;
  readonly requestId: string;
  readonly scriptByHeader: string | undefined;
}

/** Answers one generation request: reads its body, settles what to say and plays it. */
export function generate(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
  const { door } = arrival;
  door.stats.arrivedCount += 1;
  const jobId = String(door.stats.arrivedCount);
  const named = request.headers['x-request-id'];
  const requestId = typeof named === 'string' && named !== '' ? named.slice(0, NAME_MAX_CHARS) : `ref-${jobId}`;
  const scriptByHeader = request.headers[SCRIPT_HEADER]?.toString();
  const call: Call = { ...arrival, jobId, requestId, scriptByHeader };
  readBody(request, (text) => answer(call, text, response));
  // A client that leaves while its body is still on the way never gets as far as a wire.
  request.on('close', () => {
    if (!request.complete) door.stats.abortedCount += 1;
  });
}

/** The body is whole, or was too large to be taken (then there is no text). */
function answer(call: Call, text: string | undefined, response: ServerResponse): void {
  const { door, api, jobId, requestId, scriptByHeader, arrivedAtNs } = call;
  const reading: RequestReading = text === undefined ? { fault: '' } : readRequest(api, text);
  const scriptName = scriptByHeader ?? ('request' in reading ? scriptNameOf(reading.request.model) : undefined);
  const truth = door.truths.open(requestId, scriptName === undefined ? 'modelled' : 'script', arrivedAtNs);
  let callOff = (): void => door.loop.abort(jobId);
  const wire = new AnswerWire(response, truth, (end) => {
    door.stats[COUNTED_AS[end]] += 1;
    callOff();
  });
  if (wire.ended) return;
  const refuse = (status: number, message: string, type: string): void =>
    wire.whole(status, JSON_HEADERS, JSON.stringify(errorBody(message, type, status)), 'refused');
  if (text === undefined) return refuse(413, 'The body is too large.', 'BadRequestError');
  if (scriptName !== undefined) {
    const script = door.scripts.get(scriptName);
    if (script === undefined) return refuse(404, 'There is no script of that name.', 'NotFoundError');
    callOff = playScript(wire, script);
    return;
  }
  if ('fault' in reading) return refuse(400, reading.fault, 'BadRequestError');
  compute(call, reading.request, wire, refuse);
}

/** Hands a request to the modelled engine, unless it can never be served. */
function compute(
  { door, api, jobId, requestId }: Call,
  request: GenerationRequest,
  wire: AnswerWire,
  refuse: (status: number, message: string, type: string) => void,
): void {
  if (!door.models.includes(request.model)) return refuse(404, 'The model does not exist.', 'NotFoundError');
  if (door.loop.waitingCount >= REFERENCE_WAITING_MAX_COUNT) return refuse(503, 'Too many wait.', 'ServerError');
  const plan = planAnswer(request, door.seed);
  const outputTokens = plan.choices.map((choice) => choice.fragments.length);
  if (!door.loop.fits({ id: jobId, promptTokens: plan.promptTokens, outputTokens })) {
    return refuse(400, 'The request is longer than the cache of this engine.', 'BadRequestError');
  }
  const id = `${api === 'chat' ? 'chatcmpl' : 'cmpl'}-${requestId}`;
  const { startedEpochS: createdEpochS, reasoningField, stats } = door;
  playModelled(wire, door.loop, {
    jobId,
    plan,
    writer: new ChatWriter({ id, createdEpochS, model: request.model, reasoningField }, request, plan),
    stream: request.stream,
    manners: door.manners,
    onTokens: (position, tokenCount) => {
      // vLLM counts a prompt when its first token is there; an abort before that counts nothing.
      if (position === 1) stats.promptTokens += plan.promptTokens;
      stats.generationTokens += tokenCount;
    },
  });
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
