// Goal: what people and models wrote is caught once, in order and bounded, and what stands beside it is not.
// Method: requests and answers of the API families, read by the readers that are used on the wire.
import { describe, expect, it } from 'vitest';
import { CAPTURED_TEXT_MAX_BYTES } from '../../../src/base/limits.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import type { TextSink } from '../../../src/stream/fragments.ts';
import { readRequest } from '../../../src/stream/request-reader.ts';
import { TextCapture } from '../../../src/stream/text-capture.ts';
import { FORMS } from '../../support/dialect-forms.ts';
import { bytesOf, D, delta, DONE, event, FINISH } from '../../support/script.ts';
import { TYPED_FORMS } from '../../support/typed-forms.ts';

function promptOf(body: unknown): string | undefined {
  const capture = new TextCapture();
  const head = Buffer.from(JSON.stringify(body));
  readRequest({ head, totalBytes: head.length, capture }, 'application/json', undefined);
  return capture.text?.prompt;
}

interface Answer {
  readonly path: string;
  readonly mediaType: string;
  readonly pieces: readonly (string | Buffer)[];
}

function answerOf({ path, mediaType, pieces }: Answer): TextCapture {
  const capture = new TextCapture();
  const onText: TextSink = (_channel, _choice, text) => capture.onText(text);
  const reader = createAnswerReader({ status: 200, mediaType }, { method: 'POST', path, onText }, () => undefined);
  for (const piece of pieces) reader.feed(bytesOf(piece));
  reader.end();
  return capture;
}

const chat = (...pieces: string[]): TextCapture =>
  answerOf({ path: '/v1/chat/completions', mediaType: 'text/event-stream', pieces });

describe('a prompt', () => {
  it.each([
    [
      {
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        ],
      },
      'be brief\nhi',
    ],
    [{ system: 'be brief', messages: [{ role: 'user', content: 'hi' }] }, 'be brief\nhi'],
    [{ systemInstruction: { parts: [{ text: 'a' }] }, contents: [{ role: 'user', parts: [{ text: 'b' }] }] }, 'a\nb'],
    [{ instructions: 'a', input: [{ type: 'message', role: 'user', content: 'b' }] }, 'a\nb'],
    [{ prompt: ['a', 'b'] }, 'a\nb'],
    [{ inputs: 'a' }, 'a'],
    [
      {
        messages: [
          { content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, { text: 'a' }] },
        ],
      },
      'a',
    ],
    [{ messages: [{ role: 'user', images: ['QUJD'], content: 'a' }] }, 'a'],
    [{ model: 'm' }, undefined],
  ])('of %j', (body, prompt) => {
    expect(promptOf(body)).toBe(prompt);
  });

  it('is cut at its cap, between two characters, and says so', () => {
    const capture = new TextCapture();
    capture.onRequest({ prompt: `a${'ß'.repeat(CAPTURED_TEXT_MAX_BYTES)}` });
    const { prompt = '', cut } = capture.text ?? {};
    expect([Buffer.byteLength(prompt), cut, prompt.includes('\ufffd')]).toEqual([
      CAPTURED_TEXT_MAX_BYTES - 1,
      true,
      false,
    ]);
  });

  it('however deep it is, costs no stack', () => {
    let nested: unknown = 'a';
    for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
    const capture = new TextCapture();
    capture.onRequest({ prompt: nested });
    expect(capture.text?.prompt).toBe('a');
  });
});

describe('an answer', () => {
  it('is what was generated on all channels, in the order in which it came', () => {
    const call = {
      tool_calls: [{ index: 0, id: 'no', type: 'function', function: { name: 'no', arguments: '{"a":1}' } }],
    };
    const capture = chat(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'hm ' }),
      D('Hel') + D('lo '),
      delta(call),
      FINISH + DONE,
    );
    expect(capture.text).toEqual({ answer: 'hm Hello {"a":1}' });
  });

  it('holds each token once where its log probability repeats it', () => {
    const logprobs = { content: [{ token: 'x', logprob: -1, top_logprobs: [{ token: 'y' }] }] };
    expect(chat(event({ choices: [{ index: 0, delta: { content: 'x' }, logprobs }] }), DONE).text).toEqual({
      answer: 'x',
    });
  });

  it('in one piece is caught as well', () => {
    const body = JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    });
    expect(answerOf({ path: '/v1/chat/completions', mediaType: 'application/json', pieces: [body] }).text).toEqual({
      answer: 'Hello',
    });
  });

  it('is cut at its cap and costs nothing from there on', () => {
    const capture = chat(...Array.from({ length: 80 }, () => D('a'.repeat(1_024))), DONE);
    expect(capture.text).toEqual({ answer: 'a'.repeat(CAPTURED_TEXT_MAX_BYTES), cut: true });
  });

  it('that ends where there is no more room is not cut, and one that goes on is', () => {
    const full = D('a'.repeat(CAPTURED_TEXT_MAX_BYTES / 2)).repeat(2);
    expect(chat(full, DONE).text?.cut).toBeUndefined();
    expect(chat(full, D('b'), DONE).text?.cut).toBe(true);
  });

  it('of nothing is absent', () => {
    expect(chat(delta({ role: 'assistant', content: '' }), FINISH + DONE).text).toBeUndefined();
  });

  const forms = [...FORMS, ...TYPED_FORMS].filter(({ dialect }) => dialect !== 'vllm-generate');
  it.each(forms.map((form) => [`${form.dialect} on ${form.target}`, form] as const))(
    'of %s is caught once',
    (_name, form) => {
      const mediaType = /content-type: ([^\r;]+)/i.exec(form.head)?.[1] ?? '';
      const repeats = form.dialect.startsWith('sglang');
      const pieces = [...form.openings, form.token('ab', 1), form.token(repeats ? 'abcd' : 'cd', 2), form.end(2)];
      const text = answerOf({ path: form.target.split('?', 1)[0] ?? '', mediaType, pieces }).text?.answer;
      // What SGLang said so far is the form's own: a letter a token.
      expect(text).toMatch(repeats ? /^ab$/ : /^abcd/);
      expect(text?.match(/ab/g)).toHaveLength(1);
    },
  );
});
