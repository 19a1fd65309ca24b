// Every persona speaks its engine's dialect, in that engine's framing and at its moments. Method: two requests to
// an engine with one slot, so that the second has waited; its answer is taken apart by hand.
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { PERSONAS } from '../../../src/client/reference-engine/personas.ts';
import { PERSONA_ASKS, PERSONA_NAMES } from '../../support/persona-asks.ts';
import { engine, FAST, headersOf, MS, start, textOf } from './engine-harness.ts';
import { eventsOf, PARTS, play, send, type Json } from './persona-harness.ts';

const ROUTES = PERSONA_NAMES.flatMap((persona) =>
  Object.keys(PERSONA_ASKS[persona]).map((route) => [persona, route] as const),
);

describe('every route of every persona', () => {
  test('has a request in the table', () => {
    expect(PERSONA_NAMES.toSorted()).toEqual(Object.keys(PERSONAS).toSorted());
  });

  test.each(ROUTES)('%s %s streams all tokens, its head when this engine sends it', async (persona, route) => {
    const { truth, answer } = await play(persona, route);
    expect(truth.tokenAtNs).toHaveLength(PARTS.maxTokens);
    expect(truth.writes.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(answer.bodyBytes);
    const { headAtNs = 0, prefillAtNs = 0, tokenAtNs } = truth;
    const headAt = HEADS[`${persona} ${route}`] ?? HEADS[persona] ?? 'arrival';
    if (headAt === 'arrival') expect(headAtNs).toBeLessThan(prefillAtNs);
    if (headAt === 'slot') expect(headAtNs).toBeGreaterThanOrEqual(prefillAtNs);
    if (headAt === 'first_token') expect(headAtNs).toBeGreaterThanOrEqual(tokenAtNs[0]!);
  });

  test.each(ROUTES)('%s %s answers in one piece when a stream was not asked for', async (persona, route) => {
    await start({ persona });
    const whole = await send(persona, route, 'whole', { ...PARTS, stream: false });
    expect(whole).toMatchObject({ end: 'complete', status: 200 });
    expect(headersOf(whole).get('content-type')).toBe('application/json');
    expect(JSON.parse(textOf(whole))).toBeTypeOf('object');
  });

  test.each(ROUTES)('%s %s tells no time and no count when all its signals are off', async (persona, route) => {
    const signals = { inBand: false, usage: false, continuousUsage: false, headers: false };
    const { text, answer } = await play(persona, route, { signals });
    expect(text).not.toMatch(
      /"[a-z_]*(?:_ms|_time|[dD]uration|_tokens|_n|eval_count|TokenCount|latency[A-Z]\w*)":-?\d/,
    );
    expect(text).not.toMatch(/"(?:usage|usageMetadata|timings|metrics|time_info|perf_metrics)":\{/);
    expect([...headersOf(answer).keys()].filter((name) => /time|duration|processing/.test(name))).toEqual([]);
  });
});

/** When the head leaves, by persona or by its route; the others send it at once. */
const HEADS: Readonly<Record<string, 'slot' | 'first_token' | 'arrival'>> = {
  sglang: 'first_token',
  'sglang generate': 'arrival',
  llamacpp: 'slot',
  'llamacpp-old': 'first_token',
  ollama: 'first_token',
  'triton generate': 'first_token',
  fireworks: 'first_token',
  gemini: 'first_token',
  bedrock: 'first_token',
};

describe('framing', () => {
  test('Gemini: CRLF and no end mark, or one JSON array', async () => {
    const sse = await play('gemini', 'sse');
    expect(sse.text.match(/\r\n\r\n/g)).toHaveLength(6);
    expect(sse.text.replaceAll('\r\n', '')).not.toContain('\n');
    await engine!.close();
    const array = await play('gemini', 'array');
    const chunks = JSON.parse(array.text) as Json[];
    expect(chunks).toHaveLength(6);
    expect(chunks[5]!['candidates'][0].finishReason).toBe('MAX_TOKENS');
  });

  test('TensorRT-LLM: a blank behind the JSON', async () => {
    const { text } = await play('tensorrt-llm', 'chat');
    expect(text.match(/\} \n\n/g)!.length).toBeGreaterThanOrEqual(7);
  });

  test('DeepSeek: comments while the request waits, none afterwards', async () => {
    const model = { ...FAST, maxRunning: 1, stepBaseNs: 20 * MS };
    const { text, truth } = await play('deepseek', 'chat', { model });
    const before = text.slice(0, text.indexOf('data: '));
    expect(before.match(/: keep-alive\n\n/g)!.length).toBeGreaterThanOrEqual(2);
    expect(text.slice(before.length)).not.toContain('keep-alive');
    expect(truth.writes.writtenAtNs[0]!).toBeLessThan(truth.prefillAtNs!);
  });

  test('Bedrock: frames whose lengths and sums hold', async () => {
    const { answer } = await play('bedrock', 'converse');
    let bytes = Buffer.concat(answer.reads.map((read) => read.bytes));
    const payloads: Json[] = [];
    while (bytes.length > 0) {
      const total = bytes.readUInt32BE(0);
      const head = bytes.readUInt32BE(4);
      expect(bytes.readUInt32BE(8)).toBe(crc32(bytes.subarray(0, 8)));
      expect(bytes.readUInt32BE(total - 4)).toBe(crc32(bytes.subarray(0, total - 4)));
      payloads.push(JSON.parse(bytes.subarray(12 + head, total - 4).toString()) as Json);
      bytes = bytes.subarray(total);
    }
    expect(payloads[0]).toEqual({ role: 'assistant' });
    expect(payloads.filter((payload) => 'delta' in payload)).toHaveLength(6);
    expect(payloads.at(-1)).toMatchObject({ usage: { inputTokens: 100, outputTokens: 6 } });
  });

  test('Responses: numbered events without a hole', async () => {
    const { text } = await play('responses', 'responses');
    const events = eventsOf(text);
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index));
    expect(events.filter(({ type }) => type === 'response.output_text.delta')).toHaveLength(6);
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { usage: { output_tokens: 6 } } });
  });

  test("Anthropic: the prompt's tokens in the first event, the answer's in the last but one", async () => {
    const { text } = await play('anthropic', 'messages');
    const events = eventsOf(text);
    expect(events[0]).toMatchObject({ type: 'message_start', message: { usage: { input_tokens: 100 } } });
    expect(events[1]).toEqual({ type: 'ping' });
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', usage: { output_tokens: 6 } });
    expect(events.at(-1)).toEqual({ type: 'message_stop' });
  });
});
