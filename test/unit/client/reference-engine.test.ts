// The reference engine over real sockets: what it says it did is what a client can see. Method: our own
// client beside it in one process, so that both read one clock; every bound on time is one-sided.
import { describe, expect, test } from 'vitest';
import { mix32 } from '../../../src/client/random.ts';
import { startReferenceEngine } from '../../../src/client/reference-engine/start.ts';
import { sendRequest, type StreamAnswer } from '../../../src/client/stream-client.ts';
import { ask, engine, FAST, headersOf, MS, start, textOf, truthOf, until, type Ask } from './engine-harness.ts';

describe('a modelled stream', () => {
  test('arrives whole, no byte before the stamp of its write, no write before it was due', async () => {
    const { url } = await start();
    const answer = await ask(url, 'a', { fields: { max_tokens: 12, stream_options: { include_usage: true } } });
    expect(answer).toMatchObject({ end: 'complete', status: 200 });
    expect(headersOf(answer).get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headersOf(answer).get('x-request-id')).toBe('a');
    const text = textOf(answer);
    expect(text.endsWith('"completion_tokens":12}}\n\ndata: [DONE]\n\n')).toBe(true);
    const truth = truthOf('a');
    expect(truth.end).toBe('complete');
    expect(truth.tokenAtNs).toHaveLength(12);
    expect(truth.writes.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(Buffer.byteLength(text));
    truth.writes.writtenAtNs.forEach((writtenAtNs, index) => {
      expect(writtenAtNs).toBeGreaterThanOrEqual(truth.writes.dueAtNs[index]!);
    });
    // Bytes read up to any moment were written before it.
    let readBytes = 0;
    for (const read of answer.reads) {
      readBytes += read.bytes.byteLength;
      let writtenBytes = 0;
      const last = truth.writes.bytes.findIndex((bytes) => (writtenBytes += bytes) >= readBytes);
      expect(read.atNs).toBeGreaterThanOrEqual(truth.writes.writtenAtNs[last]!);
    }
  });

  test('keeps the model: queue, prefill and steps as the scheduler computes them', async () => {
    const { url } = await start();
    await ask(url, 'a', { fields: { max_tokens: 4 } });
    const { submittedAtNs, prefillAtNs, tokenAtNs } = truthOf('a');
    // Alone, 10 prompt tokens: the prefill begins at once and takes 2 ms + 10 × 10 µs.
    expect(prefillAtNs).toBe(submittedAtNs);
    expect(tokenAtNs[0]! - prefillAtNs!).toBe(2_100_000);
    const stepsNs = tokenAtNs.slice(1).map((atNs, index) => atNs - tokenAtNs[index]!);
    expect(stepsNs).toEqual([2_101_100, 2_101_200, 2_101_300]);
  });

  test('says the same again with the same seed, in an engine of its own', async () => {
    const texts: string[] = [];
    const steps: number[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const { url, close } = await start({ seed: 5 });
      texts.push(textOf(await ask(url, 'a', { fields: { max_tokens: 20 } })).replaceAll(/"created":\d+/g, ''));
      const { tokenAtNs, submittedAtNs } = truthOf('a');
      steps.push(tokenAtNs.map((atNs) => atNs - submittedAtNs!));
      await close();
    }
    expect(texts[0]).toBe(texts[1]);
    expect(steps[0]).toEqual(steps[1]);
  });

  test('waits for a slot, and the queue is in the truth', async () => {
    const { url } = await start({ model: { ...FAST, maxRunning: 1 } });
    const first = ask(url, 'a', { fields: { max_tokens: 30 } });
    await until(() => (engine?.truth('a')?.tokenAtNs.length ?? 0) > 0);
    const second = ask(url, 'b', { fields: { max_tokens: 2 } });
    await until(() => engine?.stats().waitingCount === 1);
    await Promise.all([first, second]);
    expect(truthOf('b').prefillAtNs).toBe(truthOf('a').tokenAtNs.at(-1));
  });

  test('several choices, a plain answer and completions are served as well', async () => {
    const { url } = await start();
    const several = textOf(await ask(url, 'a', { fields: { max_tokens: 3, n: 2 } }));
    expect(several.match(/"finish_reason":"length"/g)).toHaveLength(2);
    const plain = await ask(url, 'b', { fields: { max_tokens: 3, stream: false } });
    expect(headersOf(plain).get('content-length')).toBe(String(plain.bodyBytes));
    expect(JSON.parse(textOf(plain))).toMatchObject({ object: 'chat.completion', usage: { completion_tokens: 3 } });
    const path = '/v1/completions';
    const completion = textOf(await ask(url, 'c', { path, fields: { prompt: 'abcd', max_tokens: 2 } }));
    expect(completion.match(/"object":"text_completion"/g)).toHaveLength(3);
  });
});

describe('the head', () => {
  test('leaves at once by default, long before the first token', async () => {
    const { url } = await start({ model: { ...FAST, stepBaseNs: 150 * MS } });
    const answer = await ask(url, 'a', { fields: { max_tokens: 1 } });
    expect(truthOf('a').headAtNs).toBeLessThanOrEqual(truthOf('a').prefillAtNs!);
    expect(answer.reads[0]!.atNs - answer.head!.atNs).toBeGreaterThan(75 * MS);
  });

  test('leaves when a slot takes the request, or with the first token, when told so', async () => {
    for (const headAt of ['slot', 'first_token'] as const) {
      const { url, close } = await start({ headAt });
      await ask(url, 'a', { fields: { max_tokens: 1 } });
      const { headAtNs, prefillAtNs, tokenAtNs } = truthOf('a');
      expect(headAtNs).toBeGreaterThanOrEqual(headAt === 'slot' ? prefillAtNs! : tokenAtNs[0]!);
      await close();
    }
  });

  test('is followed by the role at once when told so', async () => {
    const { url } = await start({ roleAt: 'head' });
    await ask(url, 'a', { fields: { max_tokens: 2 } });
    const { writes, tokenAtNs } = truthOf('a');
    expect(writes.writtenAtNs).toHaveLength(3);
    expect(writes.dueAtNs[0]).toBeLessThan(tokenAtNs[0]!);
  });
});

describe('a client that leaves', () => {
  test('frees its slot at once and is counted', async () => {
    const { url } = await start({ model: { ...FAST, maxRunning: 1 } });
    const leaving = ask(url, 'a', {
      fields: { max_tokens: 5_000, ignore_eos: true },
      onRead: (_, readCount) => (readCount === 3 ? 'leave' : undefined),
    });
    expect(await leaving).toMatchObject({ end: 'left', status: 200 });
    const next = await ask(url, 'b', { fields: { max_tokens: 2 } });
    expect(next.end).toBe('complete');
    expect(truthOf('a').end).toBe('aborted');
    expect(truthOf('a').tokenAtNs.length).toBeLessThan(5_000);
    expect(engine?.stats()).toMatchObject({ abortedCount: 1, completedCount: 1, runningCount: 0, waitingCount: 0 });
  });

  test('while it waits for a slot leaves the queue', async () => {
    const { url } = await start({ model: { ...FAST, maxRunning: 1 } });
    const first = ask(url, 'a', { fields: { max_tokens: 40, ignore_eos: true } });
    await until(() => engine?.stats().runningCount === 1);
    const leave = new AbortController();
    const second = ask(url, 'b', { signal: leave.signal });
    await until(() => engine?.stats().waitingCount === 1);
    leave.abort();
    expect(await second).toMatchObject({ end: 'left' });
    await until(() => engine?.stats().waitingCount === 0);
    expect(await first).toMatchObject({ end: 'complete' });
    expect(truthOf('b').prefillAtNs).toBeUndefined();
  });
});

describe('refusals', () => {
  test('say what is wrong, in the words of the API', async () => {
    const { url } = await start({ model: { ...FAST, kvCapacityTokens: 20 } });
    const status = async (asked: Ask): Promise<readonly [number | undefined, string]> => {
      const answer = await ask(url, 'a', asked);
      return [answer.status, JSON.parse(textOf(answer)).error.message];
    };
    expect(await status({ fields: { n: 0 } })).toEqual([400, 'n must be an integer from 1 to 128.']);
    expect(await status({ fields: { model: 'other' } })).toEqual([404, 'The model does not exist.']);
    expect(await status({ fields: { model: 'script:__proto__' } })).toEqual([404, 'There is no script of that name.']);
    expect(await status({ path: '/v1/nothing' })).toEqual([404, 'There is no such path.']);
    expect(await status({ fields: { max_tokens: 11 } })).toEqual([
      400,
      'The request is longer than the cache of this engine.',
    ]);
    expect(engine?.stats()).toMatchObject({ refusedCount: 4, completedCount: 0, arrivedCount: 4 });
  });

  test('of a faulty model or script come before anything listens, all at once', async () => {
    const late = { writes: [{ atMs: 5, bytes: '' }], endAtMs: 1 };
    const starting = startReferenceEngine({ model: { ...FAST, maxRunning: 0, stepTokens: 0.5 }, scripts: { late } });
    await expect(starting).rejects.toThrow(
      'The reference engine cannot start: maxRunning must be an integer of at least 1; ' +
        'stepTokens must be an integer of at least 1; script late: its moments are not in order of time.',
    );
  });
});

describe('the small pages', () => {
  test('models, health, metrics and the truth', async () => {
    const { url } = await start({ model: { ...FAST, kvCapacityTokens: 1_000 } });
    await ask(url, 'a', { fields: { max_tokens: 3 } });
    const get = async (path: string): Promise<StreamAnswer> => sendRequest({ url: `${url}${path}`, method: 'GET' });
    expect(JSON.parse(textOf(await get('/v1/models')))).toMatchObject({ object: 'list', data: [{ id: 'm' }] });
    expect(await get('/health')).toMatchObject({ status: 200, bodyBytes: 0 });
    const metrics = textOf(await get('/metrics'));
    const labels = '{engine="0",model_name="m"}';
    for (const line of [
      `vllm:num_requests_running${labels} 0`,
      `vllm:num_requests_waiting${labels} 0`,
      `vllm:kv_cache_usage_perc${labels} 0`,
      `vllm:prompt_tokens_total${labels} 10`,
      `vllm:generation_tokens_total${labels} 3`,
      `vllm:request_success_total${labels} 1`,
    ]) {
      expect(metrics.split('\n')).toContain(line);
    }
    expect(JSON.parse(textOf(await get('/reference/truth?id=a')))).toEqual(truthOf('a'));
    expect(JSON.parse(textOf(await get('/reference/truth')))).toEqual([truthOf('a')]);
    expect(await get('/reference/truth?id=nobody')).toMatchObject({ status: 404 });
  });
});

describe('the seed', () => {
  test('decides stalls: those steps and no others are longer', async () => {
    const stall = { everySteps: 3, stallNs: 4 * MS };
    const { url } = await start({ seed: 11, model: { ...FAST, contextNs: 0, stall } });
    await ask(url, 'a', { fields: { max_tokens: 12 } });
    const { tokenAtNs } = truthOf('a');
    const stepsNs = tokenAtNs.slice(1).map((atNs, index) => atNs - tokenAtNs[index]!);
    const expected = stepsNs.map((_, index) => 2_100_000 + (mix32(11, index + 1) % 3 === 0 ? 4 * MS : 0));
    expect(stepsNs).toEqual(expected);
  });
});
