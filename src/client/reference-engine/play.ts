// Plays one answer on a wire: a modelled one as the engine loop computes it, or a script by its
// moments. Knows when things are due; does not know where the request came from.
import { nowNs } from '../../base/clock.ts';
import { atMoment } from '../at-moment.ts';
import type { AnswerWire } from './answer-wire.ts';
import type { AnswerPlan } from './answer.ts';
import { DueWrites } from './due-writes.ts';
import type { EngineLoop } from './engine-loop.ts';
import type { MetricStage } from './metrics-page.ts';
import type { AnswerWriter, StreamManners, Written } from './persona.ts';
import type { Script } from './script.ts';
import type { Bunch, Teller } from './telling.ts';

const NS_PER_MS = 1e6;

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const NO_CACHE = { 'cache-control': 'no-cache' };
export const JSON_HEADERS = { 'content-type': 'application/json' };

export interface ModelledAnswer {
  readonly jobId: string;
  readonly plan: AnswerPlan;
  readonly writer: AnswerWriter;
  readonly stream: boolean;
  readonly manners: StreamManners;
  readonly teller: Teller;
  /** Media type of a stream, default server-sent events. */
  readonly streamType: string | undefined;
  /** Fields of every head of this engine. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called for every position that was computed, with the number of tokens at it. */
  readonly onTokens: (position: number, tokenCount: number) => void;
  /** Called at the stages at which engines observe themselves; the last of them is told apart. */
  readonly onStage: (stage: Exclude<MetricStage, 'finish'>) => void;
  /** The last token was computed and everything was written. */
  readonly onFinished: () => void;
}

/**
 * Gives the answer to the loop and writes what comes back, each step's events in one write. Returns how to
 * call the rest of it off.
 */
export function playModelled(wire: AnswerWire, loop: EngineLoop, answer: ModelledAnswer): () => void {
  const { plan, writer, stream, manners, teller } = answer;
  const { truth } = wire;
  const writes = new DueWrites();
  let stopKeepAlive = (): void => {};
  const sendHead = (dueAtNs: number): void => {
    if (!stream || truth.headAtNs !== undefined) return;
    wire.head(200, streamHeaders(answer));
    const roles = manners.roleAt === 'head' ? writer.roles() : '';
    if (roles.length > 0) wire.write(roles, dueAtNs);
    stopKeepAlive = keepAlive(wire, manners);
  };
  if (manners.headAt === 'arrival') sendHead(nowNs());
  const outputTokens = plan.choices.map((choice) => choice.fragments.length);
  truth.promptTokens = plan.promptTokens;
  if (plan.cachedTokens !== undefined) truth.cachedTokens = plan.cachedTokens;
  truth.outputTokens = outputTokens.reduce((sum, count) => sum + count, 0);
  const { promptTokens, cachedTokens = 0 } = plan;
  truth.submittedAtNs = loop.submit(
    { id: answer.jobId, promptTokens, cachedTokens, outputTokens },
    {
      onStart: (atNs) => {
        truth.prefillAtNs = atNs;
        answer.onStage('prefill');
        if (manners.headAt === 'slot') sendHead(atNs);
      },
      onPreempted: (atNs) => (truth.preemptedAtNs ??= []).push(atNs),
      onTokens: (tokens, atNs) => {
        for (const { position, gap } of tokens) {
          truth.tokenAtNs.push(atNs);
          if (gap !== undefined) truth.gaps.push(gap);
          answer.onTokens(position, outputTokens.filter((count) => count >= position).length);
          answer.onStage(position === 1 ? 'first_token' : 'next_token');
        }
        const { position = 0, last = false } = tokens.at(-1) ?? {};
        if (!stream) {
          if (!last) return;
          wire.whole(200, wholeHeaders(answer), writer.whole(), 'complete');
          answer.onFinished();
          return;
        }
        sendHead(atNs);
        for (const bunch of teller.add(position, last)) {
          const dueAtNs = atNs + bunch.delayNs;
          writes.add(dueAtNs, () => writeBunch(wire, answer, bunch, dueAtNs));
        }
      },
    },
  );
  return () => {
    stopKeepAlive();
    writes.close();
    loop.abort(answer.jobId);
  };
}

function writeBunch(wire: AnswerWire, answer: ModelledAnswer, bunch: Bunch, dueAtNs: number): void {
  const { writer, manners } = answer;
  const { from, to, inOneEvent, last } = bunch;
  const roles = from === 1 && manners.roleAt === 'first_token' ? writer.roles() : '';
  const together = inOneEvent && to > from ? writer.together?.(from, to) : undefined;
  const pieces = together === undefined ? positions(from, to).map((position) => writer.tokens(position)) : [together];
  wire.write(join([roles, ...pieces, last ? writer.closing() : '']), dueAtNs);
  if (!last) return;
  wire.finish();
  answer.onFinished();
}

function positions(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, nth) => from + nth);
}

function streamHeaders({ headers, streamType, writer }: ModelledAnswer): Record<string, string> {
  return { ...headers, 'content-type': streamType ?? EVENT_STREAM, ...NO_CACHE, ...writer.headers?.() };
}

function wholeHeaders({ headers, writer }: ModelledAnswer): Record<string, string> {
  return { ...headers, ...JSON_HEADERS, ...writer.headers?.() };
}

/** One write for what is due at one moment, whether text or bytes. */
function join(pieces: readonly Written[]): Written {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** Comments from the head on, each after a silence, until the answer has come as far as the manners say. */
function keepAlive(wire: AnswerWire, { keepAlive: manner }: StreamManners): () => void {
  if (manner === undefined) return () => {};
  const { truth } = wire;
  const silenceNs = manner.everyMs * NS_PER_MS;
  const look = (atNs: number): void => {
    if (manner.until === 'prefill' && truth.prefillAtNs !== undefined) return;
    const quietSinceNs = truth.writes.writtenAtNs.at(-1) ?? truth.headAtNs ?? atNs;
    const isQuiet = quietSinceNs + silenceNs <= atNs;
    if (isQuiet) wire.write(manner.text, atNs);
    // When something was written meanwhile, the silence only began with it.
    cancel = wait((isQuiet ? atNs : quietSinceNs) + silenceNs);
  };
  const wait = (atNs: number): (() => void) => atMoment(atNs, () => look(atNs));
  let cancel = wait(nowNs() + silenceNs);
  return () => cancel();
}

/** Plays a script; returns how to call the rest of it off. */
export function playScript(wire: AnswerWire, script: Script): () => void {
  const defaults = { 'content-type': EVENT_STREAM, ...NO_CACHE };
  const lastAtMs = script.writes.at(-1)?.atMs ?? script.headAtMs ?? 0;
  const steps: readonly ScriptStep[] = [
    { atMs: script.headAtMs ?? 0, run: () => wire.head(script.status ?? 200, copyHeaders(script.headers) ?? defaults) },
    ...script.writes.map(({ atMs, bytes }) => ({ atMs, run: (dueAtNs: number) => wire.write(bytes, dueAtNs) })),
    { atMs: script.endAtMs ?? lastAtMs, run: () => (script.ending === 'cut' ? wire.cut() : wire.finish()) },
  ];
  // One moment after the other: two that are due at once, or late on a busy machine, must not change places.
  let callOff = (): void => {};
  const play = (index: number): void => {
    const step = steps[index];
    if (step === undefined) return;
    const dueAtNs = wire.truth.arrivedAtNs + Math.round(step.atMs * NS_PER_MS);
    callOff = atMoment(dueAtNs, () => {
      step.run(dueAtNs);
      play(index + 1);
    });
  };
  play(0);
  return () => callOff();
}

interface ScriptStep {
  readonly atMs: number;
  readonly run: (dueAtNs: number) => void;
}

function copyHeaders(headers: Script['headers']): Record<string, string | string[]> | undefined {
  if (headers === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
