// Goal: in every engine's own dialect TTFT stops at the first generated fragment, gaps and tokens are
// those of its events, and its end, its error and its absence of both are told apart (kinds D, E, F).
// Method: one form a dialect, written by a scripted engine; the same cases for each form, then those that
// only one of them can have. Figures are compared with the moments of the engine's writes.
import { describe, expect, test } from 'vitest';
import { eventCounts, expectGapsToBalance, expectSplitToSum, gapCount } from '../support/answer.ts';
import { useBench, type Run } from '../support/bench.ts';
import { expectBetweenWrites, expectLargestGap, expectUntilWrite } from '../support/causal.ts';
import { FORMS, llamacpp, NDJSON_HEAD, ollamaLine, sglang, tgi, type Form } from '../support/dialect-forms.ts';
import { doubtsOfStream } from '../support/doubts.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { actAt, at, bytesOf, c, chatRequest, DONE, END, head, type Step } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { TYPED_FORMS } from '../support/typed-forms.ts';

const bench = useBench();

/** Binary framings have no words but bytes. */
type Words = string | Buffer;
type AnyForm = Form<Words>;

const CASES = [...FORMS, ...TYPED_FORMS].map((form) => [`${form.dialect} on ${form.target}`, form] as const);

function joined(...parts: readonly Words[]): Buffer {
  return Buffer.concat(parts.map((part) => bytesOf(part)));
}

/** Each entry is one write: milliseconds and text. */
function stream(form: AnyForm, ...writes: readonly (readonly [number, Words])[]): Step[] {
  const last = writes.at(-1)?.[0] ?? 0;
  return [at(0, form.head), ...writes.map(([ms, text]) => at(ms, c(text))), at(last + 10, END)];
}

function play(form: AnyForm, ...writes: readonly (readonly [number, Words])[]): Promise<Run & RecordEntry> {
  return bench.check({ target: form.target, script: stream(form, ...writes) });
}

describe.each(CASES)('%s', (_, form) => {
  const { openings, token, end } = form;

  test('D the first token is the first generated fragment, whatever opened the stream', async () => {
    const opened = openings.map((text, index) => [30 + index * 10, text] as const);
    const first = opened.length;
    const run = await play(form, ...opened, [150, token('a', 1)], [210, token('b', 2)], [220, end(2)]);
    expect(run.record.answer.dialect).toBe(form.dialect);
    expectUntilWrite(run, run.figures.ttftNs, first);
    expectUntilWrite(run, run.figures.ttfoNs, first);
    expectUntilWrite(run, run.figures.lastTokenNs, first + 1);
    expectLargestGap(run, first, first + 1);
    expect(gapCount(run)).toBe(1);
    expectSplitToSum(run);
    expect(run.record.end).toMatchObject({ outcome: 'ok', phase: 'after_finish' });
  });

  test('D a stream that only opens has no TTFT', async () => {
    const run = await play(form, [30, joined(...openings)], [60, end(0)]);
    expect(run.figures.ttftNs).toBeUndefined();
    expect(run.figures.noFirstToken).toBe('no_output');
    expect(run.record.end.outcome).toBe('ok');
  });

  test('E each event is one gap, several in one write are one read, the end is no gap', async () => {
    const run = await play(
      form,
      [60, joined(token('a', 1), token('b', 2), token('c', 3))],
      [120, token('d', 4)],
      [180, token('e', 5)],
      [300, end(5)],
    );
    expect(gapCount(run)).toBe(2);
    expect(run.figures.coalescedCount).toBe(2);
    expectUntilWrite(run, run.figures.lastTokenNs, 2);
    expectGapsToBalance(run);
    expect(doubtsOfStream(run.record)).toEqual([]);
  });

  test('E tokens so far are those of the events, or of the end, and the first read is taken off', async () => {
    const run = await play(form, [60, token('a', 1)], [120, token('b', 2)], [180, token('c', 3)], [190, end(3)]);
    const stated = run.record.events.tokensSoFar.filter((count) => count !== null && count > 0);
    expect(stated.slice(0, 3)).toEqual(form.counted ? [1, 2, 3] : [3]);
    const { tpotNs } = run.figures;
    const output = run.record.tokens.output ?? 0;
    expect(output).toBeGreaterThanOrEqual(3);
    expectBetweenWrites(run, tpotNs === undefined ? undefined : tpotNs * (output - 1), 0, 2);
  });

  test('E a stream that ends without its end keeps what it counted', async () => {
    const run = await play(form, [40, token('a', 1)], [80, token('b', 2)]);
    expect(run.record.end.outcome).toBe(form.unended);
    expect(run.record.answer.terminal).toBe(false);
    expect(run.record.tokens.output).toBe(form.counted ? 2 : undefined);
  });

  test('an error in the stream is one, before a token and after', async () => {
    const [late, early] = await Promise.all([
      play(form, [40, token('a', 1)], [80, form.error]),
      play(form, [40, form.error]),
    ]);
    expect(late.record.end.outcome).toBe('error_inband');
    expectUntilWrite(late, late.figures.ttftNs, 0);
    expect(early.record.end.outcome).toBe('error_inband');
    expect(early.figures.ttftNs).toBeUndefined();
    expect(early.figures.noFirstToken).toBe('error');
    expect(eventCounts(early)).toMatchObject({ error: 1 });
  });

  test('a connection that breaks in an event is no end', async () => {
    const steps = [at(0, form.head), at(40, c(token('a', 1))), at(60, c(token('b', 2).slice(0, 12)))];
    const run = await bench.run({ target: form.target, script: [...steps, actAt(90, 'rst')] });
    const { record, figures } = await bench.recordOf(run);
    expect(record.end).toMatchObject({ outcome: 'upstream_aborted', phase: 'mid_stream' });
    expect(figures.ttftNs).toBeGreaterThan(0);
    expect(record.answer.dialect).toBe(form.dialect);
  });

  test('F TTFT stays that of the first fragment to the end', async () => {
    const rest = Array.from({ length: 8 }, (__, index) => [120 + index * 20, token('x', index + 2)] as const);
    const run = await play(form, [60, token('a', 1)], ...rest, [300, end(9)]);
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectUntilWrite(run, run.figures.lastTokenNs, 8);
    expect(gapCount(run) + run.figures.coalescedCount).toBe(8);
    expectSplitToSum(run);
  });
});

describe('what only one dialect can have', () => {
  const form = (target: string): Form => {
    const found = FORMS.find((each) => each.target === target);
    if (found === undefined) throw new Error(`no form for ${target}`);
    return found;
  };

  test('Ollama: thinking is the first token, the visible one and a tool call come later', async () => {
    const run = await play(
      form('/api/chat'),
      [40, ollamaLine({ role: 'assistant', content: '', thinking: 'h' })],
      [100, ollamaLine({ role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: {} } }] })],
      [160, ollamaLine({ role: 'assistant', content: 'x' }, { done: true, done_reason: 'stop', eval_count: 7 })],
    );
    expectUntilWrite(run, run.figures.ttftNs, 0);
    expectUntilWrite(run, run.figures.ttfoNs, 1);
    expectUntilWrite(run, run.figures.lastTokenNs, 2);
    expect(run.record.tokens).toEqual({ output: 7, basis: 'usage' });
    expect(run.record.end.outcome).toBe('ok');
  });

  test('Ollama: lines cut anywhere, CRLF, and a tail without line end', async () => {
    const ollama = form('/api/generate');
    const text = (ollama.token('渐', 1) + ollama.token('b', 2)).replaceAll('\n', '\r\n') + ollama.end(2).trimEnd();
    const bytes = Buffer.from(text);
    const border = bytes.indexOf(0xe6) + 1;
    const run = await bench.check({
      target: ollama.target,
      script: [
        at(0, NDJSON_HEAD),
        at(20, c(bytes.subarray(0, border))),
        at(60, c(bytes.subarray(border))),
        at(90, END),
      ],
    });
    expect(eventCounts(run)).toEqual({ content: 2, done: 1 });
    expectUntilWrite(run, run.figures.ttftNs, 1);
    expect(doubtsOfStream(run.record)).toEqual(['unterminated_tail']);
    expect(run.record.end.outcome).toBe('ok');
  });

  test('Ollama: an answer in one piece has its tokens and no TTFT', async () => {
    const body = form('/api/chat').end(3);
    const lines = ['content-type: application/json; charset=utf-8', `content-length: ${body.length}`];
    const run = await bench.check({ target: '/api/chat', script: [at(20, head('200 OK', ...lines), body)] });
    expect(run.record.answer).toMatchObject({ dialect: 'ollama', streamed: false });
    expect(run.record.tokens.output).toBe(3);
    expect(run.figures.ttftNs).toBeUndefined();
  });

  test('llama.cpp: tokens held back for a character count with the event that brings it', async () => {
    const run = await play(
      form('/completion'),
      [40, llamacpp('a', 1)],
      [100, llamacpp('🌍', 4)],
      [110, form('/completion').end(5)],
    );
    expect(run.record.events.tokensSoFar).toEqual([1, 4, 5]);
    expect(run.record.tokens).toMatchObject({ prompt: 9, output: 5, basis: 'usage' });
    expect(gapCount(run)).toBe(1);
  });

  test('TGI: a special token and half a character are tokens, but not the first one', async () => {
    const run = await play(
      form('/generate_stream'),
      [40, tgi('<|assistant|>', {}, true)],
      [80, tgi('')],
      [140, tgi('渐')],
      [200, tgi('.', { generated_text: '渐.' })],
    );
    expectUntilWrite(run, run.figures.ttftNs, 2);
    expect(run.record.events.tokensSoFar).toEqual([1, 2, 3, 4]);
    expect(run.record.tokens).toEqual({ output: 4, basis: 'token_ids' });
    expect(gapCount(run)).toBe(1);
  });

  test('SGLang: text that is only repeated is no token', async () => {
    const run = await play(
      form('/generate'),
      [40, sglang('He', 1)],
      [100, sglang('He', 2)],
      [160, sglang('He🌍', 3)],
      [220, sglang('He🌍', 3, { type: 'stop', matched: 2 }) + DONE],
    );
    expect(eventCounts(run)).toEqual({ content: 2, other: 1, finish: 1, done: 1 });
    expectLargestGap(run, 0, 2);
    expectUntilWrite(run, run.figures.lastTokenNs, 2);
    expect(run.record.tokens.output).toBe(3);
  });

  test('Triton: a client that leaves before the body ends has not got the answer', async () => {
    const client = await bench.client();
    const { token, head: answerHead, target } = form('/v2/models/{model}/generate_stream');
    const plan = bench.engine.plan([at(0, answerHead), at(20, c(token('a', 1))), at(2000, END)]);
    client.request(
      chatRequest({
        target: target.replace('{model}', 'left-triton'),
        model: 'left-triton',
        lines: [`${PLAN_FIELD}: ${plan.id}`],
      }),
    );
    await client.bodyBytes(token('a', 1).length);
    client.close();
    const entry = await bench.sidecar.record('the one who left', (record) => record.request.model === 'left-triton');
    expect(entry.record.end).toMatchObject({ outcome: 'client_abort', phase: 'mid_stream' });
  });
});
