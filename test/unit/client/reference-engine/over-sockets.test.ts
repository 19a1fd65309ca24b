// What lengthens steps in the scheduler does so over real sockets too, and the engine states it: on its page of
// metrics and in its truth. Method: our own client beside it in one process; no bound on any time.
import { describe, expect, test } from 'vitest';
import { gapNsOf } from '../../../../src/client/reference-engine/gap-parts.ts';
import type { SpeculationModel } from '../../../../src/client/reference-engine/model.ts';
import { ask, FAST, start, textOf, truthOf, until, engine } from '../engine-harness.ts';

const SPECULATION: SpeculationModel = {
  drafts: 4,
  acceptRatio: 0.8,
  draftNs: 10_000,
  verifyNs: 1_000,
  told: 'one_event',
  spacingNs: 0,
};

async function metric(url: string, name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(page)?.[1]);
}

/** Events with text, and all of the text. */
function contentsOf(stream: string): string[] {
  return [...stream.matchAll(/"content":"([^"]+)"/g)].map(([, content = '']) => content);
}

describe('a paged cache', () => {
  test('throws the latest out, counts it, and both answers come whole', async () => {
    const { url } = await start({ model: { ...FAST, kvCapacityTokens: 96, paging: { blockTokens: 4 } } });
    const long = { fields: { max_tokens: 60, ignore_eos: true } };
    const first = ask(url, 'a', long);
    await until(() => engine?.stats().runningCount === 1);
    const answers = await Promise.all([first, ask(url, 'b', long)]);
    expect(answers.map(({ end }) => end)).toEqual(['complete', 'complete']);
    expect(answers.map((answer) => contentsOf(textOf(answer)).length)).toEqual([60, 60]);
    expect(await metric(url, 'vllm:num_preemptions_total')).toBe(1);
    expect([truthOf('a').preemptedAtNs, truthOf('b').preemptedAtNs?.length]).toEqual([undefined, 1]);
    expect(truthOf('b').gaps.filter(({ preemptedNs }) => preemptedNs > 0)).toHaveLength(1);
  });
});

describe('another persona', () => {
  test('states the same under its own names', async () => {
    const paged = { kvCapacityTokens: 96, paging: { blockTokens: 4 } };
    const { url } = await start({ persona: 'sglang', model: { ...FAST, ...paged, speculation: SPECULATION } });
    const long = { fields: { max_tokens: 60, ignore_eos: true } };
    await Promise.all([ask(url, 'a', long), ask(url, 'b', long)]);
    expect(await metric(url, 'sglang:num_retracted_requests_total')).toBeGreaterThan(0);
    expect(await metric(url, 'sglang:spec_accept_rate')).toBeGreaterThan(0);
  });
});

describe('speculation', () => {
  test('gives fewer events than tokens, the same text, and counts its guesses', async () => {
    const fields = { max_tokens: 40, ignore_eos: true, stream_options: { include_usage: true } };
    const plain = await start();
    const wanted = contentsOf(textOf(await ask(plain.url, 'a', { fields })));
    await plain.close();
    const { url } = await start({ model: { ...FAST, speculation: SPECULATION } });
    const stream = textOf(await ask(url, 'a', { fields }));
    expect(contentsOf(stream).join('')).toBe(wanted.join(''));
    expect(contentsOf(stream).length).toBeLessThan(wanted.length);
    expect(stream).toContain('"completion_tokens":40}');
    const drafted = await metric(url, 'vllm:spec_decode_num_draft_tokens_total');
    expect(drafted % 4).toBe(0);
    expect(await metric(url, 'vllm:spec_decode_num_accepted_tokens_total')).toBeLessThan(drafted);
  });

  test('can tell the tokens of a step one after another, none before it is due, and ends after the last', async () => {
    const speculation = { ...SPECULATION, acceptRatio: 1, told: 'writes', spacingNs: 300_000 } as const;
    const { url } = await start({ model: { ...FAST, speculation } });
    const stream = textOf(await ask(url, 'a', { fields: { max_tokens: 11, ignore_eos: true } }));
    expect(contentsOf(stream)).toHaveLength(11);
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true);
    const { writes, tokenAtNs, end } = truthOf('a');
    expect(end).toBe('complete');
    // One token, then two steps of five: each write at its own moment.
    expect(new Set(tokenAtNs).size).toBe(3);
    expect(writes.dueAtNs).toHaveLength(11);
    expect(writes.dueAtNs.map((dueAtNs, index) => dueAtNs - (tokenAtNs[index] ?? NaN))).toEqual([
      0,
      ...[0, 1, 2, 3, 4, 0, 1, 2, 3, 4].map((nth) => nth * 300_000),
    ]);
    for (const [index, atNs] of writes.writtenAtNs.entries())
      expect(atNs).toBeGreaterThanOrEqual(writes.dueAtNs[index] ?? NaN);
  });
});

describe('an interval', () => {
  test('has several tokens in an event, but for the first', async () => {
    const { url } = await start({ model: { ...FAST, eventTokens: 5 } });
    const stream = textOf(await ask(url, 'a', { fields: { max_tokens: 12, ignore_eos: true } }));
    expect(contentsOf(stream).map((content) => content.trim().split(' ').length)).toEqual([1, 5, 5, 1]);
  });
});

describe('the truth', () => {
  test('has the parts of every gap, which are the gap', async () => {
    const host = { everySteps: 4, lowestNs: 1_000_000, highestNs: 3_000_000, requestNs: 200_000 };
    const { url } = await start({ model: { ...FAST, host, noiseRatio: 0.1, wholePrompts: true } });
    const first = ask(url, 'a', { fields: { max_tokens: 30, ignore_eos: true } });
    await until(() => engine?.stats().runningCount === 1);
    await Promise.all([first, ask(url, 'b', { fields: { max_tokens: 5, ignore_eos: true } })]);
    const { gaps, tokenAtNs } = truthOf('a');
    expect(gaps.map(gapNsOf)).toEqual(tokenAtNs.slice(1).map((atNs, index) => atNs - (tokenAtNs[index] ?? NaN)));
    // b's prompt had a step for itself.
    expect(gaps.filter(({ prefillNs }) => prefillNs > 0)).toHaveLength(1);
    expect(gaps.some(({ hostNs }) => hostNs >= 1_000_000)).toBe(true);
    const stated = (await (await fetch(`${url}/reference/truth?id=a`)).json()) as { readonly gaps: unknown };
    expect(stated.gaps).toEqual(gaps);
  });
});
