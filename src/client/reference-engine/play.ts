// Plays one answer on a wire: a modelled one as the engine loop computes it, or a script by its
// moments. Knows when things are due; does not know where the request came from.
import { nowNs } from '../../base/clock.ts';
import { atMoment } from '../at-moment.ts';
import type { AnswerWire } from './answer-wire.ts';
import type { AnswerPlan } from './answer.ts';
import type { ChatWriter } from './chat-writer.ts';
import type { EngineLoop } from './engine-loop.ts';
import type { Script } from './script.ts';

const NS_PER_MS = 1e6;

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
export const JSON_HEADERS = { 'content-type': 'application/json' };

/** When the parts that carry no token leave; engines differ in both. */
export interface StreamManners {
  /** vLLM: as the request is accepted. llama.cpp: as a slot takes it. SGLang, Ollama: with the first token. */
  readonly headAt: 'arrival' | 'slot' | 'first_token';
  /** vLLM, SGLang: with the first token. Triton's OpenAI front end: with the head. */
  readonly roleAt: 'head' | 'first_token';
}

export interface ModelledAnswer {
  readonly jobId: string;
  readonly plan: AnswerPlan;
  readonly writer: ChatWriter;
  readonly stream: boolean;
  readonly manners: StreamManners;
  /** Called for every position that was computed, with the number of tokens at it. */
  readonly onTokens: (position: number, tokenCount: number) => void;
}

/** Gives the answer to the loop and writes what comes back, each step's events in one write. */
export function playModelled(wire: AnswerWire, loop: EngineLoop, answer: ModelledAnswer): void {
  const { plan, writer, stream, manners } = answer;
  const { truth } = wire;
  const sendHead = (dueAtNs: number): void => {
    if (!stream || truth.headAtNs !== undefined) return;
    wire.head(200, STREAM_HEADERS);
    const roles = manners.roleAt === 'head' ? writer.roles() : '';
    if (roles !== '') wire.write(roles, dueAtNs);
  };
  if (manners.headAt === 'arrival') sendHead(nowNs());
  const outputTokens = plan.choices.map((choice) => choice.fragments.length);
  truth.promptTokens = plan.promptTokens;
  truth.outputTokens = outputTokens.reduce((sum, count) => sum + count, 0);
  const job = { id: answer.jobId, promptTokens: plan.promptTokens, outputTokens };
  truth.submittedAtNs = loop.submit(job, {
    onStart: (atNs) => {
      truth.prefillAtNs = atNs;
      if (manners.headAt === 'slot') sendHead(atNs);
    },
    onToken: (position, atNs, last) => {
      truth.tokenAtNs.push(atNs);
      answer.onTokens(position, outputTokens.filter((count) => count >= position).length);
      if (!stream) {
        if (last) wire.whole(200, JSON_HEADERS, writer.whole(), 'complete');
        return;
      }
      sendHead(atNs);
      const roles = position === 1 && manners.roleAt === 'first_token' ? writer.roles() : '';
      wire.write(roles + writer.tokens(position) + (last ? writer.closing() : ''), atNs);
      if (last) wire.finish();
    },
  });
}

/** Plays a script; returns how to call the rest of it off. */
export function playScript(wire: AnswerWire, script: Script): () => void {
  const { arrivedAtNs } = wire.truth;
  const cancels: (() => void)[] = [];
  const at = (ms: number, run: (dueAtNs: number) => void): void => {
    const dueAtNs = arrivedAtNs + Math.round(ms * NS_PER_MS);
    cancels.push(atMoment(dueAtNs, () => run(dueAtNs)));
  };
  at(script.headAtMs ?? 0, () => wire.head(script.status ?? 200, copyHeaders(script.headers) ?? STREAM_HEADERS));
  for (const { atMs, bytes } of script.writes) at(atMs, (dueAtNs) => wire.write(bytes, dueAtNs));
  const lastAtMs = script.writes.at(-1)?.atMs ?? script.headAtMs ?? 0;
  at(script.endAtMs ?? lastAtMs, () => (script.ending === 'cut' ? wire.cut() : wire.finish()));
  return () => {
    for (const cancel of cancels) cancel();
  };
}

function copyHeaders(headers: Script['headers']): Record<string, string | string[]> | undefined {
  if (headers === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
