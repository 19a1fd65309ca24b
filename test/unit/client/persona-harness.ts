// A persona's answer after a wait: two requests to an engine with one slot, and the second one's answer beside
// its truth.
import { expect } from 'vitest';
import type { PersonaName } from '../../../src/client/reference-engine/personas.ts';
import type { ReferenceEngineOptions } from '../../../src/client/reference-engine/start.ts';
import { timesOf, type AnswerTimes } from '../../../src/client/reference-engine/times.ts';
import type { RequestTruth } from '../../../src/client/reference-engine/truth.ts';
import { sendRequest, type StreamAnswer } from '../../../src/client/stream-client.ts';
import { PERSONA_ASKS, type AskParts } from '../../support/persona-asks.ts';
import { engine, FAST, start, textOf, truthOf, until } from './engine-harness.ts';

export type Json = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any

export const PARTS: AskParts = { prompt: 'x'.repeat(400), maxTokens: 6 };

/** Tokens of the answer that the second request waits for. */
export const FIRST_TOKENS = 24;

export interface Played {
  readonly answer: StreamAnswer;
  readonly text: string;
  readonly truth: RequestTruth;
  readonly times: AnswerTimes;
}

export async function send(
  persona: PersonaName,
  route: string,
  id: string,
  parts: AskParts = PARTS,
): Promise<StreamAnswer> {
  const { path, body } = PERSONA_ASKS[persona][route]!(parts);
  const url = `${engine!.url}${path}`;
  return sendRequest({ url, body: JSON.stringify(body), headers: { 'x-request-id': id } });
}

/** The second of two requests to an engine with one slot. */
export async function play(
  persona: PersonaName,
  route: string,
  options: ReferenceEngineOptions = {},
  parts: AskParts = PARTS,
): Promise<Played> {
  await start({ persona, model: { ...FAST, maxRunning: 1 }, ...options });
  // Long enough that the second request comes while it runs, also on a busy machine.
  const first = send(persona, route, 'first', { ...parts, maxTokens: FIRST_TOKENS });
  await until(() => engine!.truth('first')?.prefillAtNs !== undefined);
  const answer = await send(persona, route, 'b', parts);
  expect(await first).toMatchObject({ end: 'complete', status: 200 });
  expect(answer).toMatchObject({ end: 'complete', status: 200 });
  const truth = truthOf('b');
  const times = timesOf(truth);
  expect(times.queueNs).toBeGreaterThan(0);
  return { answer, text: textOf(answer), truth, times };
}

/** The JSON of each event, whatever frames it. */
export function eventsOf(text: string): Json[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/^data: ?/, '').trim())
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Json);
}
