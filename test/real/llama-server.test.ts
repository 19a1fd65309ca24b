// Goal: what rubato says of a real llama-server's queue and prefill is what llama-server says of them,
// whether requests wait or not. Method: 200 chats at each concurrency. The prefill is stated in the bytes
// that the client received. The queue is stated in the server's log alone, from the moment at which a
// thread of it took the request up; on a busy machine bytes lie in the kernel for ms before that and
// after, which nobody outside can tell from waiting for a slot. So the recorded queue must lie between the
// log's word and what the client's own stamps allow, each with the tolerance.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../support/signal.ts';
import { Sidecar } from '../support/sidecar.ts';
import type { EngineProcess } from './engine/engine-process.ts';
import { startLlamaServer } from './engine/llama-server.ts';
import { askAll, askOnce, type Answer } from './judge/ask.ts';
import { orMissing, say } from './judge/missing.ts';
import { chatName, chatQuestion, COUNT, LLAMA_ROUTE, ROUTES } from './judge/prompts.ts';
import { lastNumber, llamaStated, readLlamaLog, type LlamaLog } from './judge/stated.ts';
import { disagreement, faultsOfParts, splitOf, spread, toleranceMs } from './judge/verdict.ts';

let engine: EngineProcess | undefined;
let sidecar: Sidecar | undefined;

beforeAll(async () => {
  engine = await orMissing('llama-server', startLlamaServer);
  if (engine !== undefined) sidecar = await Sidecar.start({ upstream: engine.url });
});

afterAll(async () => {
  await sidecar?.stop();
  await engine?.stop();
});

/** The server writes its log on a thread of its own. */
function logOf(server: EngineProcess, run: string): Promise<LlamaLog> {
  return poll(`all of ${run} in the log`, () => {
    const log = readLlamaLog(server.log());
    const complete = Array.from({ length: COUNT }, (_, index) => chatName(run, index)).every((name) =>
      log.handlerBeganMs.has(name),
    );
    return complete ? log : undefined;
  });
}

/**
 * The longest that the queue can have been by the client's stamps: until the head came, or until the first
 * body byte came less the prefill, whichever is later: an engine or a client that is woken late moves both.
 */
function observedQueueMs({ message, sentAtNs }: Answer, prefillMs: number): number {
  const headMs = ((message.head?.atNs ?? Number.NaN) - sentAtNs) / 1e6;
  const bodyMs = ((message.marks.find(({ bodyBytes }) => bodyBytes > 0)?.atNs ?? Number.NaN) - sentAtNs) / 1e6;
  return Math.max(headMs, bodyMs - prefillMs);
}

describe('llama-server', () => {
  test.for([1, 4, 16])(
    'states the queue and prefill that are recorded, %d at a time',
    async (concurrency, { skip }) => {
      if (engine === undefined || sidecar === undefined) return skip('llama-server cannot be had here');
      const run = `llama${concurrency}`;
      const before = sidecar.records().length;
      const answers = await askAll(sidecar.listenPort, { count: COUNT, concurrency }, (index) =>
        chatQuestion(run, index),
      );
      const entries = await sidecar.recordsAfter(before, COUNT);
      const byId = new Map(entries.map((entry) => [entry.record.answer.responseId, entry]));
      const log = await logOf(engine, run);

      const faults: string[] = [];
      const apart = { queue: [] as number[], prefill: [] as number[] };
      let agreeing = 0;
      for (const answer of answers) {
        const stated = llamaStated(answer, log, chatName(run, answer.question));
        const entry = byId.get(stated.responseId);
        const split = splitOf(entry);
        const queueMs = (split.queueNs ?? Number.NaN) / 1e6;
        apart.queue.push(queueMs - stated.queueMs);
        apart.prefill.push((split.prefillNs ?? Number.NaN) / 1e6 - stated.prefillMs);
        if (disagreement('queue', split.queueNs, stated.queueMs) === undefined) agreeing += 1;
        const mostMs = observedQueueMs(answer, stated.prefillMs);
        const inside =
          queueMs >= stated.queueMs - toleranceMs(stated.queueMs) && queueMs <= mostMs + toleranceMs(mostMs);
        const found = [
          ...faultsOfParts(entry!),
          disagreement('prefill', split.prefillNs, stated.prefillMs),
          inside ? undefined : `queue is ${queueMs} ms, ${stated.queueMs} ms by the log, ${mostMs} ms by the client`,
        ].filter((fault) => fault !== undefined);
        faults.push(...found.map((fault) => `question ${answer.question}: ${fault}`));
      }
      say(
        `llama-server, ${concurrency} at a time: queue ${spread(apart.queue)}, prefill ${spread(apart.prefill)} apart;`,
      );
      say(`  the queue of ${agreeing} of ${COUNT} is within 1 ms or 1 % of the word in the server's log`);
      expect(faults).toEqual([]);
      expect(byId.size).toBe(COUNT);
    },
  );

  test.for([
    ['llamacpp-completion', LLAMA_ROUTE],
    ['openai-completions', ROUTES['openai-completions']],
    ['openai-responses', ROUTES['openai-responses']],
  ] as const)('is understood as %s', async ([dialect, question], { skip }) => {
    if (sidecar === undefined) return skip('llama-server cannot be had here');
    const { answer, entry } = await askOnce(sidecar, question);
    expect(entry.record.answer.dialect).toBe(dialect);
    expect(entry.record.end.outcome).toBe('ok');
    expect(faultsOfParts(entry)).toEqual([]);
    expect(disagreement('prefill', entry.figures.split?.prefillNs, lastNumber(answer, 'prompt_ms')!)).toBeUndefined();
  });

  test('is not said to have stated a prefill where it states none, as in answers like Anthropic’s', async ({
    skip,
  }) => {
    if (sidecar === undefined) return skip('llama-server cannot be had here');
    const { answer, entry } = await askOnce(sidecar, ROUTES['anthropic-messages']);
    expect(entry.record.answer.dialect).toBe('anthropic-messages');
    expect(entry.record.end.outcome).toBe('ok');
    expect(lastNumber(answer, 'prompt_ms')).toBeUndefined();
    const exact = entry.record.evidence.filter(({ basis }) => basis === 'exact');
    expect(exact.filter(({ prefillNs }) => prefillNs !== undefined)).toEqual([]);
  });
});
