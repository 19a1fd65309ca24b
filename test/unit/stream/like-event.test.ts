// Goal: events that differ in nothing but their text are known by their bytes, and nothing that comes near them is.
// Method: an event is fed until it is known, then what comes near it; how often JSON was read tells which was known.
// That a known event means what reading it would have told is for test/conformance/like-events.test.ts.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LIKE_EVENT_MAX_BYTES, LIKE_EVENT_TRIES_MAX_COUNT } from '../../../src/base/limits.ts';
import { createAnswerReader, type EmitEvent } from '../../../src/stream/answer-reader.ts';
import { data, delta, SSE_HEAD } from './read-all.ts';

const CHAT = '/v1/chat/completions';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A reader, what it told, and for each feed whether JSON was read for it. */
function open(path = CHAT, isHeard = true) {
  const parse = vi.spyOn(JSON, 'parse');
  const told: string[] = [];
  const events: string[] = [];
  const onEvent: EmitEvent = ({ kind, tokensSoFar }) =>
    events.push(kind + (tokensSoFar === undefined ? '' : ` ${tokensSoFar}`));
  const onText = (channel: string, choice: number, text: string): unknown => told.push(`${channel} ${choice} ${text}`);
  const reader = createAnswerReader(SSE_HEAD, { method: 'POST', path, ...(isHeard ? { onText } : {}) }, onEvent);
  /** True when the bytes were known. */
  const isKnown = (bytes: string | Uint8Array): boolean => {
    parse.mockClear();
    reader.feed(Buffer.from(bytes));
    return parse.mock.calls.length === 0;
  };
  return { reader, told, events, isKnown };
}

/** A reader that knows what chunks with such a text mean. */
function openKnowing(path = CHAT, event: (text: string) => string = (text) => delta({ content: text })) {
  const opened = open(path);
  expect(opened.isKnown(event('first'))).toBe(false);
  expect(opened.isKnown(event('second'))).toBe(true);
  opened.events.length = 0;
  opened.told.length = 0;
  return opened;
}

describe('an event like the one before', () => {
  it.each<[string, string, (text: string) => string]>([
    ['chat', CHAT, (text) => delta({ content: text })],
    ['reasoning', CHAT, (text) => delta({ content: null, reasoning_content: text })],
    ['a part of a list', CHAT, (text) => delta({ content: [{ type: 'text', text }] })],
    ['arguments of a tool', CHAT, (text) => delta({ tool_calls: [{ index: 0, function: { arguments: text } }] })],
    ['completions', '/v1/completions', (text) => data({ choices: [{ index: 0, text, logprobs: null }] })],
    ['white space as Python writes it', CHAT, (text) => `data: {"choices": [{"delta": {"content": "${text}"}}]}\n\n`],
    ['no space behind the colon', CHAT, (text) => `data:{"choices":[{"delta":{"content":"${text}"}}]}\n\n`],
    ['an id before it', CHAT, (text) => `id: 7\n${delta({ content: text })}`],
    [
      'Anthropic',
      '/v1/messages',
      (text) =>
        `event: content_block_delta\n${data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}`,
    ],
    ['Responses', '/v1/responses', (text) => data({ type: 'response.output_text.delta', delta: text })],
    ['Cohere', '/v2/chat', (text) => data({ type: 'content-delta', delta: { message: { content: { text } } } })],
    ['Triton', '/v2/models/m/generate_stream', (text) => data({ model_name: 'm', text_output: text })],
  ])('is known: %s', (_, path, event) => {
    const { isKnown, events, told, reader } = openKnowing(path, event);
    expect(['x', ' ', '渐', '[DONE]', 'content', 'first'].map((text) => isKnown(event(text)))).toEqual(
      Array(6).fill(true),
    );
    expect(new Set(events).size).toBe(1);
    expect(told.map((text) => text.split(' ').slice(2).join(' '))).toEqual([
      'x',
      ' ',
      '渐',
      '[DONE]',
      'content',
      'first',
    ]);
    expect(Object.values(reader.facts().eventCounts)).toEqual([8]);
  });

  it('is known several times in one chunk, up to what is none', () => {
    const { isKnown, events, told } = openKnowing();
    expect(isKnown(delta({ content: 'a' }) + delta({ content: 'b' }))).toBe(true);
    expect(isKnown(delta({ content: 'c' }) + delta({ content: '' }))).toBe(false);
    expect(told).toEqual(['text 0 a', 'text 0 b', 'text 0 c']);
    expect(events).toEqual(['content', 'content', 'content', 'other']);
  });

  it('is known where nobody hears its text', () => {
    const { isKnown } = open(CHAT, false);
    expect([isKnown(delta({ content: 'a' })), isKnown(delta({ content: 'b' }))]).toEqual([false, true]);
  });

  it('tells bytes that are no UTF-8 as reading them would', () => {
    const { isKnown, told } = openKnowing();
    const [before, behind] = delta({ content: '|' }).split('|');
    const odd = Buffer.from([0xe6, 0xb8, 0xff, 0x61, 0xed, 0xa0, 0x80, 0xef, 0xbb, 0xbf]);
    expect(isKnown(Buffer.concat([Buffer.from(before ?? ''), odd, Buffer.from(behind ?? '')]))).toBe(true);
    expect(told).toEqual(['text 0 \uFFFD\uFFFDa\uFFFD\uFFFD\uFFFD\uFEFF']);
  });

  it('is known again when something else came between', () => {
    const { isKnown } = openKnowing();
    expect(isKnown(delta({ content: 'a' }, 'stop'))).toBe(false);
    expect(isKnown(delta({ content: 'a' }))).toBe(false);
    expect(isKnown(delta({ content: 'b' }))).toBe(true);
  });
});

describe('an event that is not quite like the one before is read', () => {
  const [before, behind] = delta({ content: '|' }).split('|') as [string, string];

  it.each([
    ['an empty text', '', ['other'], []],
    ['an escaped quote', 'a\\"b', ['content'], ['text 0 a"b']],
    ['an escaped character', '\\u0061', ['content'], ['text 0 a']],
    ['another text of the same choice', 'a","content":"b', ['content'], ['text 0 b']],
    ['a text that goes on to be an object', 'a"},"x":{"content":"b', ['content'], ['text 0 a']],
    ['a tab', 'a\tb', ['other'], []],
    ['a line end', 'a\nb', ['other'], []],
    ['a carriage return', 'a\rb', ['other'], []],
    ['one quote more', 'a"', ['other'], []],
  ])('%s', (_, text, events, told) => {
    const opened = openKnowing();
    expect(opened.isKnown(before + text + behind)).toBe(false);
    expect(opened.events).toEqual(events);
    expect(opened.told).toEqual(told);
  });

  it.each([
    ['another choice', delta({ content: 'a' }, null, 1), ['text 1 a']],
    ['a finish reason', delta({ content: 'a' }, 'stop'), ['text 0 a']],
    [
      'a field more',
      data({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }], x: 1 }),
      ['text 0 a'],
    ],
    ['ends of lines as in DOS', delta({ content: 'a' }).replaceAll('\n', '\r\n'), ['text 0 a']],
    [
      'a text as long as an event may be',
      delta({ content: 'a'.repeat(LIKE_EVENT_MAX_BYTES) }),
      [`text 0 ${'a'.repeat(LIKE_EVENT_MAX_BYTES)}`],
    ],
  ])('%s', (_, event, told) => {
    const opened = openKnowing();
    expect(opened.isKnown(event)).toBe(false);
    expect(opened.told).toEqual(told);
  });

  it.each([1, 20, before.length + 1, before.length + behind.length])('half of it, cut at %d', (at) => {
    const { reader, isKnown, events, told } = openKnowing();
    reader.feed(Buffer.from(delta({ content: 'a' }).slice(0, at)));
    expect(events).toEqual([]);
    expect(isKnown(delta({ content: 'a' }).slice(at))).toBe(false);
    expect(events).toEqual(['content']);
    expect(told).toEqual(['text 0 a']);
  });

  it('the same behind a line that names it', () => {
    const { reader, isKnown, events } = openKnowing();
    reader.feed(Buffer.from('event: error\n'));
    expect(isKnown(delta({ content: 'a' }))).toBe(false);
    expect(events).toEqual(['error']);
  });

  it('the same behind the beginning of another', () => {
    const { reader, isKnown, events } = openKnowing();
    reader.feed(Buffer.from('data: x\n'));
    expect(isKnown(delta({ content: 'a' }))).toBe(false);
    expect(events).toEqual(['other']);
  });

  it('the same within an object that stands in no field', () => {
    const { reader, isKnown } = openKnowing();
    reader.feed(Buffer.from('{"error":\n\n'));
    expect(isKnown(delta({ content: 'a' }))).toBe(false);
    expect(isKnown(delta({ content: 'b' }))).toBe(false);
  });

  it('the same behind a loss, of which nothing is known', () => {
    const { reader, isKnown, events } = openKnowing();
    reader.skip();
    reader.feed(Buffer.from(delta({ content: 'a' })));
    expect(events).toEqual([]);
    expect(isKnown(delta({ content: 'b' }))).toBe(false);
    expect(isKnown(delta({ content: 'c' }))).toBe(true);
    expect(events).toEqual(['content', 'content']);
  });
});

describe('an event is not kept', () => {
  it.each<[string, string, string[]]>([
    [
      'that lists its tokens',
      data({ choices: [{ delta: { content: 'a' }, token_ids: [1] }] }),
      ['content 1', 'content 2'],
    ],
    [
      'that has logprobs',
      data({ choices: [{ delta: { content: 'a' }, logprobs: { content: [{ token: 'a' }] } }] }),
      ['content 1', 'content 2'],
    ],
    [
      'that states its usage',
      data({ choices: [{ delta: { content: 'a' } }], usage: { completion_tokens: 5 } }),
      ['content 5', 'content 5'],
    ],
    ['that tells two texts', data({ choices: [{ delta: { content: 'a', refusal: 'b' } }] }), ['content', 'content']],
    ['that tells nothing', delta({ role: 'assistant', content: '' }), ['role', 'role']],
    ['whose text needs escapes', delta({ content: '"' }), ['content', 'content']],
    ['with two lines of data', 'data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n', ['content', 'content']],
    ['beside a comment', `: x\n${delta({ content: 'a' })}`, ['comment', 'content', 'comment', 'content']],
    [
      'with another',
      delta({ content: 'a' }) + delta({ content: 'b' }, 'stop'),
      ['content', 'content', 'content', 'content'],
    ],
    [
      'that is longer than most',
      delta({ content: 'a' }).replace('{', `{"x":"${'x'.repeat(LIKE_EVENT_MAX_BYTES)}",`),
      ['content', 'content'],
    ],
    ['that stands in no field', '{"choices":[{"delta":{"content":"a"}}]}\n\n', ['content', 'content']],
  ])('%s', (_, event, events) => {
    const opened = open();
    expect([opened.isKnown(event), opened.isKnown(event)]).toEqual([false, false]);
    expect(opened.events).toEqual(events);
  });

  it('by a text that looks like the one told and is another', () => {
    const { isKnown, told } = open();
    const event = (text: string): string => `data: {"choices":[{"delta":{"content":"\\u0061"}}],"text":"${text}"}\n\n`;
    for (const text of ['a', 'b', 'c']) expect(isKnown(event(text))).toBe(false);
    expect(told).toEqual(['text 0 a', 'text 0 a', 'text 0 a']);
  });

  it('by the first of two texts of one name, of which the last counts', () => {
    const { isKnown, told } = open();
    const event = (text: string): string => `data: {"choices":[{"delta":{"content":"${text}","content":"z"}}]}\n\n`;
    for (const text of ['a', 'b', 'c']) expect(isKnown(event(text))).toBe(false);
    expect(told).toEqual(['text 0 z', 'text 0 z', 'text 0 z']);
  });

  it('by a text beside the message that is wrapped in it', () => {
    const { isKnown, told } = open();
    const bytes = Buffer.from('{"choices":[{"delta":{"content":"z"}}]}').toString('base64');
    const event = (content: string): string => `event: chunk\n${data({ bytes, choices: [{ delta: { content } }] })}`;
    for (const text of ['a', 'b', 'c']) expect(isKnown(event(text))).toBe(false);
    expect(told).toEqual(['text 0 z', 'text 0 z', 'text 0 z']);
  });

  it('in a dialect whose events repeat all that came before', () => {
    const { isKnown, told } = open('/generate');
    const event = (text: string): string => data({ text, meta_info: { id: 'r', finish_reason: null } });
    for (const text of ['a', 'ab', 'abc']) expect(isKnown(event(text))).toBe(false);
    expect(told).toEqual(['text 0 a', 'text 0 b', 'text 0 c']);
  });

  it('by its name alone where only its first line was in another chunk', () => {
    const { reader, isKnown, events } = open('/v1/messages');
    const event = 'data: {"delta":{"text":"a"}}\n\n';
    isKnown(`event: content_block_delta\n${data({ delta: { text: 'a' } })}`);
    reader.feed(Buffer.from('event: content_block_delta\n'));
    expect(isKnown(event)).toBe(false);
    expect(isKnown(event)).toBe(false);
    expect(events).toEqual(['content', 'content', 'other']);
  });

  it('any more once so many in turn had none like them', () => {
    const { isKnown } = open();
    const event = (id: number): string => data({ id, choices: [{ delta: { content: 'a' } }] });
    for (let id = 0; id < LIKE_EVENT_TRIES_MAX_COUNT - 1; id += 1) expect(isKnown(event(id))).toBe(false);
    expect([isKnown(event(-1)), isKnown(event(-1))]).toEqual([false, true]);
    for (let id = 0; id < LIKE_EVENT_TRIES_MAX_COUNT; id += 1) expect(isKnown(event(id))).toBe(false);
    expect([isKnown(event(-1)), isKnown(event(-1))]).toEqual([false, false]);
  });
});
