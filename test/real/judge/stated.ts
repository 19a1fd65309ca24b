// The engines' own words about one answer, taken from the bytes that the client received and from the
// engine's log. Shares no code with what is being judged.
import { dataOf, type Answer } from './ask.ts';

export interface Stated {
  /** Id in the answer, by which its record is found. */
  readonly responseId: string;
  readonly queueMs: number;
  readonly prefillMs: number;
}

/** vLLM: `metrics` on the message that carries the usage. Prefill is called time to first token there. */
export function vllmStated(answer: Answer): Stated {
  const messages = dataOf(answer.message);
  const metrics = lastWith(messages, 'metrics');
  return {
    responseId: String(messages[0]?.['id']),
    queueMs: numberIn(metrics, 'queue_time_ms'),
    prefillMs: numberIn(metrics, 'time_to_first_token_ms'),
  };
}

/**
 * llama.cpp: `timings` on the last message; of the queue it tells only its log, in µs: a request's handler
 * began, and a slot began its prompt. The first is found by the request's name, the second by the length of
 * its prompt, for which no two requests at a time are alike.
 */
export function llamaStated(answer: Answer, log: LlamaLog, name: string): Stated {
  const messages = dataOf(answer.message);
  const timings = lastWith(messages, 'timings');
  const promptTokens = numberIn(timings, 'prompt_n') + numberIn(timings, 'cache_n');
  const beganMs = log.handlerBeganMs.get(name);
  const startedMs = log.slotStarts.find(({ tokens, atMs }) => tokens === promptTokens && atMs >= beganMs!)?.atMs;
  if (beganMs === undefined || startedMs === undefined) throw new Error(`the log says nothing of ${name}`);
  return {
    responseId: String(messages[0]?.['id']),
    queueMs: startedMs - beganMs,
    prefillMs: numberIn(timings, 'prompt_ms'),
  };
}

export interface LlamaLog {
  readonly handlerBeganMs: ReadonlyMap<string, number>;
  readonly slotStarts: readonly { readonly atMs: number; readonly tokens: number }[];
}

const STAMP = /^(\d+)\.(\d\d)\.(\d{3})\.(\d{3}) /;

export function readLlamaLog(text: string): LlamaLog {
  const handlerBeganMs = new Map<string, number>();
  const slotStarts: { atMs: number; tokens: number }[] = [];
  for (const line of text.split('\n')) {
    const stamp = STAMP.exec(line);
    if (stamp === null) continue;
    const [minutes, seconds, millis, micros] = stamp.slice(1).map(Number) as [number, number, number, number];
    const atMs = (minutes * 60 + seconds) * 1000 + millis + micros / 1000;
    const name = /conv_id=(\S+) \(empty=0\)/.exec(line)?.[1];
    if (name !== undefined) handlerBeganMs.set(name, atMs);
    const tokens = /new prompt,.* task\.n_tokens = (\d+)/.exec(line)?.[1];
    if (tokens !== undefined) slotStarts.push({ atMs, tokens: Number(tokens) });
  }
  return { handlerBeganMs, slotStarts };
}

/** The last number of this name anywhere in an answer; for routes that each wrap it in their own way. */
export function lastNumber({ message }: Answer, name: string): number | undefined {
  const found = [...message.body.toString().matchAll(new RegExp(`"${name}":([0-9.e+-]+)`, 'g'))].at(-1);
  return found === undefined ? undefined : Number(found[1]);
}

function lastWith(messages: readonly Record<string, unknown>[], key: string): Record<string, unknown> {
  const found = messages.findLast((message) => message[key] !== undefined)?.[key];
  if (found === undefined) throw new Error(`the engine stated no ${key}`);
  return found as Record<string, unknown>;
}

function numberIn(object: Record<string, unknown>, key: string): number {
  const value = object[key];
  if (typeof value !== 'number') throw new Error(`the engine stated no ${key}`);
  return value;
}
