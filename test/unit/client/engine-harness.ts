// A reference engine for one test and a client beside it in the same process, so that both read one clock.
import { afterEach } from 'vitest';
import type { EngineModel } from '../../../src/client/reference-engine/model.ts';
import {
  startReferenceEngine,
  type ReferenceEngine,
  type ReferenceEngineOptions,
} from '../../../src/client/reference-engine/start.ts';
import type { RequestTruth } from '../../../src/client/reference-engine/truth.ts';
import { sendRequest, type StreamAnswer, type StreamRequest } from '../../../src/client/stream-client.ts';

export const MS = 1_000_000;
export const FAST: EngineModel = {
  maxRunning: 4,
  stepTokens: 64,
  stepBaseNs: 2 * MS,
  decodeNs: 100_000,
  contextNs: 100,
  prefillNs: 10_000,
};

/** The engine of the test that runs. */
export let engine: ReferenceEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

export async function start(options: ReferenceEngineOptions = {}): Promise<ReferenceEngine> {
  engine = await startReferenceEngine({ model: FAST, models: ['m'], ...options });
  return engine;
}

export interface Ask extends Partial<StreamRequest> {
  readonly fields?: object;
  readonly path?: string;
}

export function ask(url: string, id: string, { fields, path, ...rest }: Ask = {}): Promise<StreamAnswer> {
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(40) }], ...fields };
  return sendRequest({
    url: `${url}${path ?? '/v1/chat/completions'}`,
    body: JSON.stringify(body),
    ...rest,
    headers: { 'x-request-id': id, ...rest.headers },
  });
}

export function textOf(answer: StreamAnswer): string {
  return Buffer.concat(answer.reads.map((read) => read.bytes)).toString('utf8');
}

export function headersOf(answer: StreamAnswer): Map<string, string> {
  const raw = answer.head?.rawHeaders ?? [];
  return new Map(raw.flatMap((name, index) => (index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? '']] : [])));
}

export function truthOf(id: string): RequestTruth {
  const truth = engine?.truth(id);
  if (truth === undefined) throw new Error(`no truth of ${id}`);
  return truth;
}

/** Waits until something is so; the wait is bounded by the test's own time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
