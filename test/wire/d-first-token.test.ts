// Goal: TTFT stops at the first event with a generated fragment on any channel of any choice, and
// at nothing else (kind D).
// Method: scripted streams with known write times; figures from the record are compared with the
// moments at which the engine wrote and the client read, which holds on any machine.
import { describe, expect, test } from 'vitest';
import { eventCounts, expectGapsToBalance, expectSplitToSum, gapCount } from '../support/answer.ts';
import { useBench } from '../support/bench.ts';
import { expectLargestGap, expectUntilWrite } from '../support/causal.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import {
  at,
  c,
  COMPLETIONS_TARGET,
  D,
  delta,
  DONE,
  END,
  event,
  FINISH,
  HEAD,
  T,
  type Step,
} from '../support/script.ts';

const bench = useBench();

/** One write for each entry `[ms, event]`, then the end mark at once after the last. */
function stream(...writes: readonly (readonly [number, string])[]): Step[] {
  const last = writes.at(-1)?.[0] ?? 0;
  return [at(0, HEAD), ...writes.map(([ms, text]) => at(ms, c(text))), at(last + 10, c(DONE), END)];
}

describe('D1', () => {
  test('D1 a role-only chunk is not the first token', async () => {
    const run = await bench.check({
      script: stream([100, delta({ role: 'assistant', content: '' })], [1200, D('Hi')], [1220, D('!')]),
    });
    expect(eventCounts(run)).toEqual({ role: 1, content: 2, done: 1 });
    expectUntilWrite(run, run.figures.firstEventNs, 0);
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expectLargestGap(run, 1, 2);
    expect(gapCount(run)).toBe(1);
    expectSplitToSum(run);
  });

  test.each([
    ['content null', delta({ role: 'assistant', content: null })],
    ['no content', delta({ role: 'assistant' })],
    [
      'empty reasoning, refusal and tools',
      delta({ content: '', reasoning_content: '', reasoning: null, refusal: '', tool_calls: [] }),
    ],
    [
      'a tool call with only an index and an id',
      delta({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { arguments: '' } }] }),
    ],
    ['an empty function call', delta({ function_call: { arguments: '' } })],
    ['logprobs and nothing else', event({ choices: [{ index: 0, delta: {}, logprobs: { content: [] } }] })],
    ['a first finish of null', event({ choices: [{ index: 0, delta: {}, finish_reason: null }] })],
    [
      'continuous usage of no token',
      event({ choices: [{ index: 0, delta: { content: '' } }], usage: { completion_tokens: 0 } }),
    ],
  ])('D1 the first token is the one after: %s', async (_, opening) => {
    const run = await bench.check({ script: stream([30, opening], [200, D('Hi')]) });
    expectUntilWrite(run, run.figures.firstEventNs, 0);
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(gapCount(run)).toBe(0);
  });

  test('D1 completions with an empty first text', async () => {
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: stream([30, T('')], [200, T('Hi')], [240, T('!')]),
    });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(gapCount(run)).toBe(1);
  });

  test.each([
    ['a role with text', delta({ role: 'assistant', content: 'Hi' })],
    [
      'a tool name',
      delta({ role: 'assistant', tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] }),
    ],
    ['tool arguments', delta({ tool_calls: [{ index: 0, function: { arguments: '{' } }] })],
    ['a refusal', delta({ refusal: 'No' })],
    ['audio', delta({ audio: { data: 'UklGRg==' } })],
    ['the second choice', event({ choices: [{ index: 1, delta: { content: 'x' } }] })],
    ['white space', D(' ')],
    ['an old function call', delta({ function_call: { name: 'f', arguments: '' } })],
  ])('D1 a first chunk that does carry a fragment counts: %s', async (_, opening) => {
    const run = await bench.check({ script: stream([80, opening], [200, D('Hi')]) });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expect(gapCount(run)).toBe(1);
  });

  test('D1 a stream without any token has no TTFT at all', async () => {
    const run = await bench.check({ script: stream([30, delta({ role: 'assistant', content: '' })], [60, FINISH]) });
    expect(run.figures.ttftNs).toBeUndefined();
    expect(run.figures.ttfoNs).toBeUndefined();
    expect(run.figures.split).toBeUndefined();
    expect(run.figures.noFirstToken).toBe('no_output');
  });
});

describe('D2', () => {
  async function thinking(fragment: Record<string, unknown>, target?: string): Promise<void> {
    const thoughts = Array.from({ length: 21 }, (_, index) => [300 + index * 100, delta(fragment)] as const);
    const run = await bench.check({
      script: stream(...thoughts, [2400, D('A')]),
      ...(target === undefined ? {} : { target }),
    });
    expect(eventCounts(run)).toEqual({ reasoning: 21, content: 1, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectUntilWrite(run, run.figures.ttfoNs, 21);
    expectUntilWrite(run, run.figures.lastTokenNs, 21);
    expect(gapCount(run)).toBe(21);
    expectGapsToBalance(run);
  }

  test('D2 reasoning is the first token under both names, whatever stands beside it', async () => {
    await Promise.all([
      thinking({ reasoning_content: 'r' }),
      thinking({ reasoning: 'r' }),
      thinking({ reasoning_content: 'r', content: null }),
      thinking({ role: 'assistant', reasoning: 'r', content: '' }),
    ]);
  });

  test('D2 reasoning that is empty is no token', async () => {
    const run = await bench.check({
      script: stream(
        [30, delta({ reasoning_content: '', content: '' })],
        [80, delta({ reasoning_content: 'r' })],
        [160, D('a')],
      ),
    });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expectUntilWrite(run, run.figures.ttfoNs, 2);
  });

  test('D2 a stream that only thinks has a TTFT and no TTFO', async () => {
    const run = await bench.check({
      script: stream([60, delta({ reasoning: 'r' })], [120, delta({ reasoning: 's' })], [130, FINISH]),
    });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expect(run.figures.ttfoNs).toBeUndefined();
    expect(run.record.end.outcome).toBe('ok');
  });

  test('D2 both channels in one event end both clocks', async () => {
    const run = await bench.check({ script: stream([60, delta({ reasoning_content: 'r', content: 'a' })]) });
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectUntilWrite(run, run.figures.ttfoNs, 0);
  });
});

describe('D3', () => {
  const filter = event({ id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] });
  const offsets = event({ choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }] });

  test('D3 chunks without choices or without a delta are no tokens and no errors', async () => {
    const run = await bench.check({ script: stream([50, filter], [700, D('x')], [720, offsets]) });
    expect(eventCounts(run)).toEqual({ other: 2, content: 1, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(run.record.doubts).not.toContain('parse_error');
    expect(run.record.end.outcome).toBe('ok');
  });

  test.each([
    ['choices null', event({ choices: null })],
    ['no choices', event({ id: 'x', object: 'chat.completion.chunk' })],
    ['a choice of null', event({ choices: [null] })],
    ['a delta of null', event({ choices: [{ index: 0, delta: null }] })],
    ['a delta that is a string', event({ choices: [{ index: 0, delta: 'x' }] })],
    ['content that is an object', delta({ content: { x: 1 } })],
    ['a choice without an index', event({ choices: [{ delta: {} }] })],
    ['a bare number', 'data: 7\n\n'],
    ['an array', 'data: []\n\n'],
    ['null', 'data: null\n\n'],
    ['keys of the prototype', 'data: {"__proto__":{"choices":[{"delta":{"content":"p"}}]},"constructor":1}\n\n'],
  ])('D3 an odd first chunk does no harm: %s', async (_, odd) => {
    const run = await bench.check({ script: stream([30, odd], [200, D('x')]) });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(eventCounts(run)).toMatchObject({ content: 1, done: 1 });
    expect(run.record.end.outcome).toBe('ok');
  });

  test('D3 completions with an empty list of choices first', async () => {
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: stream([30, event({ choices: [] })], [200, T('x')]),
    });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(run.record.end.outcome).toBe('ok');
  });
});

describe('D5', () => {
  test('D5 keep-alive comments are no tokens, no JSON and no split of a gap', async () => {
    const ping = ':\n\n';
    const run = await bench.check({
      script: stream([100, ping], [200, ping], [300, ping], [350, D('a')], [460, ping], [550, D('b')]),
    });
    expect(eventCounts(run)).toEqual({ comment: 4, content: 2, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 3);
    expectLargestGap(run, 3, 5);
    expect(gapCount(run)).toBe(1);
    expect(doubtsOfStream(run.record)).toEqual([]);
  });

  test.each([
    ['with text', ': keep-alive\n\n'],
    ['with a time, CRLF', ': ping - 2026-11-29 10:00:00+00:00\r\n\r\n'],
    ['without a blank line', ':\n'],
    ['that looks like data', ':data: {"choices":[{"delta":{"content":"x"}}]}\n\n'],
    ['blank lines alone', '\n\n'],
    ['an event without data', 'event: ping\n\n'],
    ['a retry field', 'retry: 3000\n\n'],
  ])('D5 a keep-alive %s is no token', async (_, ping) => {
    const run = await bench.check({
      script: stream([40, ping], [80, ping], [160, D('a')], [200, ping], [260, D('b')]),
    });
    expect(eventCounts(run)).toMatchObject({ content: 2, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 2);
    expect(gapCount(run)).toBe(1);
    expect(run.record.end.outcome).toBe('ok');
  });

  test('D5 a comment in the same write as a token changes nothing, completions', async () => {
    const run = await bench.check({
      target: COMPLETIONS_TARGET,
      script: stream([40, `: x\n\n${T('a')}`], [100, `: y\n${T('b')}: z\n\n`]),
    });
    expect(eventCounts(run)).toEqual({ comment: 3, content: 2, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 0);
  });
});
