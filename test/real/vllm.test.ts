// Goal: what rubato says of a real vLLM's queue and prefill is what vLLM says of them, whether requests
// wait or not, and whether it says so in the stream or by its spans alone. Method: 200 chats at each
// concurrency; the engine's word is read from the bytes that the client received. A chat that asks for no
// usage is told no times in its stream, so its split rests on the span; what the span says is compared
// where the stream says it too.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { Sidecar, type RecordEntry } from '../support/sidecar.ts';
import type { EngineProcess } from './engine/engine-process.ts';
import { startVllm } from './engine/vllm.ts';
import { askAll, askOnce, dataOf, type Answer } from './judge/ask.ts';
import { orMissing, say } from './judge/missing.ts';
import { chatQuestion, COUNT, ROUTES } from './judge/prompts.ts';
import { lastNumber, vllmStated } from './judge/stated.ts';
import { disagreement, faultsOfParts, splitOf, spread } from './judge/verdict.ts';

const WITH_USAGE = { stream_options: { include_usage: true } };
const SPAN_COUNT = 40;

let engine: EngineProcess | undefined;
let sidecar: Sidecar | undefined;

beforeAll(async () => {
  const spanPort = await freePort();
  const spans = ['--otlp-traces-endpoint', `http://127.0.0.1:${spanPort}/v1/traces`];
  engine = await orMissing('vLLM', () =>
    startVllm(['--enable-per-request-metrics', ...spans], {
      env: {
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
        // By default spans leave every 5 s, later than anybody's report waits.
        OTEL_BSP_SCHEDULE_DELAY: '200',
      },
    }),
  );
  if (engine !== undefined)
    sidecar = await Sidecar.start({ upstream: engine.url, args: ['--otlp-listen', `127.0.0.1:${spanPort}`] });
});

afterAll(async () => {
  await sidecar?.stop();
  await engine?.stop();
});

/** Asks and waits for the records; by the id of the answer. */
async function askThrough(
  through: Sidecar,
  { run, count, concurrency, more }: { run: string; count: number; concurrency: number; more: Record<string, unknown> },
): Promise<{ readonly answers: Answer[]; readonly byId: Map<string | undefined, RecordEntry> }> {
  const before = through.records().length;
  const answers = await askAll(through.listenPort, { count, concurrency }, (index) => chatQuestion(run, index, more));
  const entries = await through.recordsAfter(before, count);
  return { answers, byId: new Map(entries.map((entry) => [entry.record.answer.responseId, entry])) };
}

describe('vLLM', () => {
  test.for([1, 4, 16])(
    'states in its stream the queue and prefill that are recorded, %d at a time',
    async (concurrency, { skip }) => {
      if (sidecar === undefined) return skip('vLLM cannot be had here');
      const run = `vllm${concurrency}`;
      const { answers, byId } = await askThrough(sidecar, { run, count: COUNT, concurrency, more: WITH_USAGE });
      const faults: string[] = [];
      const apart = { queue: [] as number[], prefill: [] as number[] };
      for (const answer of answers) {
        const stated = vllmStated(answer);
        const entry = byId.get(stated.responseId);
        const split = splitOf(entry);
        const bySpan = entry?.record.evidence.find(({ source }) => source === 'engine-spans');
        apart.queue.push((split.queueNs ?? Number.NaN) / 1e6 - stated.queueMs);
        apart.prefill.push((split.prefillNs ?? Number.NaN) / 1e6 - stated.prefillMs);
        const found = [
          ...faultsOfParts(entry!),
          disagreement('queue', split.queueNs, stated.queueMs),
          disagreement('prefill', split.prefillNs, stated.prefillMs),
          bySpan && disagreement('queue by span', bySpan.queueNs, stated.queueMs),
          bySpan && disagreement('prefill by span', bySpan.prefillNs, stated.prefillMs),
        ].filter((fault) => fault !== undefined);
        faults.push(...found.map((fault) => `question ${answer.question}: ${fault}`));
      }
      say(`vLLM, ${concurrency} at a time: queue ${spread(apart.queue)}, prefill ${spread(apart.prefill)} apart`);
      expect(faults).toEqual([]);
      expect(byId.size).toBe(COUNT);
    },
  );

  test('states by its spans alone what is recorded, when a request asks for no usage', async ({ skip }) => {
    if (sidecar === undefined) return skip('vLLM cannot be had here');
    const { answers, byId } = await askThrough(sidecar, { run: 'span', count: SPAN_COUNT, concurrency: 8, more: {} });
    const faults = answers.flatMap((answer) => {
      const messages = dataOf(answer.message);
      expect(messages.some((message) => 'metrics' in message)).toBe(false);
      const entry = byId.get(String(messages[0]?.['id']));
      const sources = entry?.record.evidence.map(({ source }) => source);
      return [
        ...(sources?.join() === 'engine-spans' ? [] : [`the evidence is ${sources?.join()}`]),
        ...faultsOfParts(entry!),
      ].map((fault) => `question ${answer.question}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  test.for(Object.entries(ROUTES))('is understood as %s, and split', async ([dialect, question], { skip }) => {
    if (sidecar === undefined) return skip('vLLM cannot be had here');
    const { answer, entry } = await askOnce(sidecar, question);
    expect(entry.record.answer.dialect).toBe(dialect);
    expect(entry.record.end.outcome).toBe('ok');
    // In the stream where the API has room for it, else by the span.
    const source = lastNumber(answer, 'queue_time_ms') === undefined ? 'engine-spans' : 'vllm-metrics';
    expect(entry.record.evidence.map((evidence) => evidence.source)).toContain(source);
    expect(faultsOfParts(entry)).toEqual([]);
  });
});
