// What a persona states about time is the truth by that engine's own definitions. Method: the second of two
// requests to an engine with one slot has waited; what its answer states is held against the truth log in
// exact numbers.
import { describe, expect, test } from 'vitest';
import { sendRequest } from '../../../src/client/stream-client.ts';
import { PERSONA_ASKS } from '../../support/persona-asks.ts';
import { engine, headersOf, start, textOf } from './engine-harness.ts';
import { eventsOf, PARTS, play } from './persona-harness.ts';

describe('what an engine states in its events', () => {
  test('vLLM: queue and, under the name of a TTFT, the prefill, in ms beside the usage', async () => {
    const { text, times } = await play('vllm', 'chat');
    const { metrics, system_fingerprint: fingerprint } = eventsOf(text).at(-1)!;
    expect(metrics).toMatchObject({
      queue_time_ms: times.queueNs / 1e6,
      time_to_first_token_ms: times.prefillNs / 1e6,
      generation_time_ms: times.generationNs / 1e6,
      mean_itl_ms: times.generationNs / 5e6,
    });
    expect(fingerprint).toMatch(/^vllm-/);
  });

  test('vLLM: nothing with several choices', async () => {
    await start({ persona: 'vllm' });
    const { path, body } = PERSONA_ASKS.vllm['chat']!(PARTS);
    const answer = await sendRequest({ url: `${engine!.url}${path}`, body: JSON.stringify({ ...body, n: 2 }) });
    expect(textOf(answer)).toContain('"usage"');
    expect(textOf(answer)).not.toContain('"metrics"');
  });

  test('SGLang /generate: seconds and instants on every event, the text from its beginning', async () => {
    const { text, times } = await play('sglang-generate', 'generate');
    const events = eventsOf(text);
    expect(events).toHaveLength(6);
    for (const { meta_info: meta } of events) {
      expect(meta.queue_time).toBe(times.queueNs / 1e9);
      // A wall time in seconds keeps about a quarter of a microsecond.
      expect((meta.prefill_finished_time - meta.forward_entry_time) * 1e9).toBeCloseTo(times.prefillNs, -4);
    }
    expect(events[5]!['text'].startsWith(events[0]!['text'])).toBe(true);
    expect(events[5]!['meta_info'].e2e_latency).toBe(times.totalNs / 1e9);
  });

  test('llama.cpp: the times of slot and tokens on the last event only, and on all when asked', async () => {
    for (const [route, last] of [
      ['chat', -1],
      ['completion', -1],
    ] as const) {
      const { text, times } = await play('llamacpp', route);
      const events = eventsOf(text);
      expect(events.filter((event) => 'timings' in event)).toHaveLength(1);
      expect(events.at(last)!['timings']).toMatchObject({
        prompt_n: 100,
        prompt_ms: times.prefillNs / 1e6,
        predicted_n: 6,
        predicted_ms: times.generationNs / 1e6,
      });
      await engine!.close();
    }
    await start({ persona: 'llamacpp' });
    const body = { prompt: 'abcd', n_predict: 4, stream: true, timings_per_token: true };
    const answer = await sendRequest({ url: `${engine!.url}/completion`, body: JSON.stringify(body) });
    expect(eventsOf(textOf(answer)).map((event) => event['timings'].predicted_n)).toEqual([1, 2, 3, 4, 4]);
  });

  test('Ollama: nanoseconds on the last line, and never the queue', async () => {
    for (const route of ['chat', 'generate']) {
      const { text, times } = await play('ollama', route);
      const end = eventsOf(text).at(-1)!;
      expect(end).toMatchObject({
        done: true,
        total_duration: times.totalNs,
        load_duration: times.frontNs,
        prompt_eval_count: 100,
        prompt_eval_duration: times.prefillNs,
        eval_count: 6,
        eval_duration: times.generationNs,
      });
      const { total_duration: total, prompt_eval_duration: prompt, eval_duration: evaluation } = end;
      expect(total - prompt - evaluation).toBe(times.queueNs + times.frontNs);
      await engine!.close();
    }
  });

  test("Dynamo: the router's wait, and a prefill with the engine's queue in it", async () => {
    const { text, times } = await play('dynamo', 'chat');
    const timing = eventsOf(text).find((event) => 'nvext' in event)!['nvext'].timing;
    expect(timing.prefill_wait_time_ms).toBe(times.frontNs / 1e6);
    expect(timing.prefill_time_ms).toBe((times.queueNs + times.prefillNs) / 1e6);
  });

  test('NIM: the queue in ms, and a time to the first token without it', async () => {
    const { text, times } = await play('nim', 'chat');
    expect(eventsOf(text).at(-1)!['stats']).toMatchObject({
      type: 'NIM LLM Model Stats',
      llm_output_token_length: 6,
      time_in_queue_in_ms: times.queueNs / 1e6,
      response_tokens: { time_to_first_token_in_ms: times.prefillNs / 1e6 },
    });
  });

  test('Groq and Cerebras: seconds, the total without the queue', async () => {
    const groq = await play('groq', 'chat');
    const told = eventsOf(groq.text).findLast((event) => 'x_groq' in event)!['x_groq'].usage;
    expect(told).toMatchObject({
      queue_time: groq.times.queueNs / 1e9,
      prompt_time: groq.times.prefillNs / 1e9,
      total_time: (groq.times.prefillNs + groq.times.generationNs) / 1e9,
    });
    await engine!.close();
    const cerebras = await play('cerebras', 'chat');
    const { time_info: info } = eventsOf(cerebras.text).at(-1)!;
    expect(info).toMatchObject({
      queue_time: cerebras.times.queueNs / 1e9,
      prompt_time: cerebras.times.prefillNs / 1e9,
    });
  });

  test('Fireworks: seconds for those who ask, one of them in the head', async () => {
    const { text, times, answer } = await play('fireworks', 'chat');
    const { perf_metrics: metrics } = eventsOf(text).at(-1)!;
    expect(metrics).toMatchObject({
      'prefill-queue-duration': times.queueNs / 1e9,
      'prefill-duration': times.prefillNs / 1e9,
    });
    const ttftS = (times.frontNs + times.queueNs + times.prefillNs) / 1e9;
    expect(Number(headersOf(answer).get('fireworks-server-time-to-first-token'))).toBe(ttftS);
  });

  test('Azure: a checkpoint in the usage, after events without choices', async () => {
    const { text, times } = await play('azure', 'chat');
    const events = eventsOf(text);
    expect(events[0]).toMatchObject({ choices: [], prompt_filter_results: [{}] });
    expect(events.at(-1)!['usage'].latency_checkpoint).toMatchObject({
      pre_inference_ms: times.queueNs / 1e6,
      engine_ttft_ms: times.prefillNs / 1e6,
    });
  });
});

describe('what an engine states in its head', () => {
  test('TGI: whole milliseconds of an answer in one piece, nothing of a stream', async () => {
    const stream = await play('tgi', 'generate');
    expect(headersOf(stream.answer).has('x-queue-time')).toBe(false);
    expect(headersOf(stream.answer).get('x-compute-type')).toBe('1-reference');
    await engine!.close();
    const { answer, times } = await play('tgi', 'generate', {}, { ...PARTS, stream: false });
    const headers = headersOf(answer);
    expect(headers.get('x-queue-time')).toBe(String(Math.floor(times.queueNs / 1e6)));
    expect(headers.get('x-inference-time')).toBe(String(Math.floor((times.prefillNs + times.generationNs) / 1e6)));
  });
});
