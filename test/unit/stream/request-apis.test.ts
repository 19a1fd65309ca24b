// Goal: what a request says is found wherever its API puts it: in the path, one level deeper in the body,
// behind a content coding; and how its prompt begins is known without its text. Method: exact readings.
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readRequest as readWithLookup, type RequestCopy } from '../../../src/stream/request-reader.ts';

const JSON_TYPE = 'application/json';

/** The reading without what has tests of its own. */
function readRequest(copy: RequestCopy, mediaType: string | undefined, encoding: string | undefined, path?: string) {
  const { field: _, beginning: __, ...reading } = readWithLookup(copy, mediaType, encoding, path);
  return reading;
}

function whole(body: string) {
  const head = Buffer.from(body);
  return readRequest({ head, totalBytes: head.length }, JSON_TYPE, undefined);
}

describe('a compressed request', () => {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Grüße' }] });
  const known = { model: 'm', stream: true, promptBytes: 11, promptChars: 9, cut: false };
  const read = (head: Buffer, encoding: string, totalBytes = head.length) =>
    readRequest({ head, totalBytes }, JSON_TYPE, encoding);

  it.each([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
  ])('is read through %s', (encoding, bytes) => {
    expect(read(bytes, encoding)).toEqual(known);
  });

  it('gives nothing when it is cut, broken, or of a coding nobody knows', () => {
    expect(read(gzipSync(body).subarray(0, 20), 'gzip')).toEqual({ cut: false });
    expect(read(gzipSync(body), 'gzip', 10_000)).toEqual({ cut: true });
    expect(read(Buffer.from(body), 'gzip')).toEqual({ cut: false });
    expect(read(gzipSync(body), 'snappy')).toEqual({ cut: false });
    expect(read(gzipSync(gzipSync(body)), 'gzip, gzip')).toEqual({ cut: false });
  });

  it('gives its first fields when it decodes to more than the cap', () => {
    const noise = Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 9973).join(' ');
    const long = gzipSync(JSON.stringify({ model: 'm', prompt: noise, stream: true }));
    expect(read(long, 'gzip')).toEqual({ model: 'm', cut: true });
  });
});

describe('the path', () => {
  const at = (path: string, fields: object = {}) => {
    const head = Buffer.from(JSON.stringify(fields));
    const { model, stream } = readRequest({ head, totalBytes: head.length }, JSON_TYPE, undefined, path);
    return [model, stream];
  };

  it.each([
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent', 'gemini-2.5-flash', true],
    ['/v1beta/models/gemini-2.5-flash:generateContent', 'gemini-2.5-flash', false],
    ['/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:streamRawPredict', 'claude-x', true],
    ['/prefix/v1beta/tunedModels/t1:generateContent', 't1', false],
    ['/model/anthropic.claude-v1%3A0/converse-stream', 'anthropic.claude-v1:0', true],
    ['/model/m%zz/invoke', 'm%zz', false],
    ['/model/m/invoke-with-response-stream', 'm', true],
    ['/v2/models/ensemble/generate_stream', 'ensemble', true],
    ['/v2/models/ensemble/versions/1/generate', 'ensemble', false],
    ['/generate_stream', undefined, true],
    ['/api/chat', undefined, true],
    ['/api/generate', undefined, true],
    ['/generate', undefined, undefined],
    ['/v1/models/m', undefined, undefined],
    ['/v1/chat/completions', undefined, undefined],
  ])('%s says so', (path, model, stream) => {
    expect(at(path)).toEqual([model, stream]);
  });

  it('is what the API goes by where body and path differ', () => {
    expect(at('/openai/deployments/mine/chat/completions', { model: 'gpt', stream: true })).toEqual(['mine', true]);
    expect(at(`/v1beta/models/${'m'.repeat(300)}:streamGenerateContent`, { stream: false })).toEqual([
      'm'.repeat(128),
      true,
    ]);
  });

  it('leaves the last word to the body where it only says what is usual', () => {
    expect(at('/api/chat', { model: 'llama3:8b', stream: false })).toEqual(['llama3:8b', false]);
    const head = Buffer.from('no JSON');
    expect(readRequest({ head, totalBytes: 7 }, JSON_TYPE, undefined, '/api/chat').stream).toBeUndefined();
    expect(readRequest({ head, totalBytes: 99 }, JSON_TYPE, undefined, '/api/chat').stream).toBeUndefined();
  });
});

describe('the APIs of other engines', () => {
  const read = (fields: object) => whole(JSON.stringify(fields));

  it.each([
    [
      { inputs: 'abc', parameters: { max_new_tokens: 7 } },
      { promptBytes: 3, maxTokens: 7 },
    ],
    [
      { prompt: 'abc', system: 'de', options: { num_predict: 7 } },
      { promptBytes: 5, maxTokens: 7 },
    ],
    [{ prompt: 'abc', options: { num_predict: -1 } }, { promptBytes: 3 }],
    [
      { text: 'abc', sampling_params: { max_new_tokens: 7, n: 2 } },
      { promptBytes: 3, maxTokens: 7, choices: 2 },
    ],
    [{ input_ids: [1, 2, 3], sampling_params: [{ max_new_tokens: 7 }] }, { promptBytes: 12 }],
    [{ input_ids: [[1, 2], [3]] }, { promptBytes: 12 }],
    [{ prompt: [1, 'abc', 2] }, { promptBytes: 11 }],
    [{ prompt: { prompt_string: 'abc', multimodal_data: ['AAAA'] } }, { promptBytes: 3 }],
    [{ messages: [{ content: 'abc', images: ['AAAA'] }] }, { promptBytes: 3 }],
    [
      { text_input: 'abc', max_tokens: 7 },
      { promptBytes: 3, maxTokens: 7 },
    ],
    [
      { inputText: 'abc', textGenerationConfig: { maxTokenCount: 7 } },
      { promptBytes: 3, maxTokens: 7 },
    ],
    [
      { prompt: 'abc', max_gen_len: 7 },
      { promptBytes: 3, maxTokens: 7 },
    ],
    [
      {
        systemInstruction: { parts: [{ text: 'de' }] },
        contents: [{ parts: [{ text: 'abc' }, { inlineData: { data: 'AAAA' } }] }],
        generationConfig: { maxOutputTokens: 7, candidateCount: 2 },
      },
      { promptBytes: 5, maxTokens: 7, choices: 2 },
    ],
    [
      {
        system: [{ text: 'de' }],
        messages: [{ content: [{ text: 'abc' }, { image: { source: { bytes: 'AAAA' } } }] }],
        inferenceConfig: { maxTokens: 7 },
      },
      { promptBytes: 5, maxTokens: 7 },
    ],
    [{ preamble: 'de', chat_history: [{ message: 'f' }], message: 'abc' }, { promptBytes: 6 }],
  ])('%j', (fields, expected) => {
    const { promptChars: _, cut: __, ...reading } = read(fields);
    expect(reading).toEqual(expected);
  });
});

describe('how a prompt begins', () => {
  const beginning = (fields: object) => {
    const head = Buffer.from(JSON.stringify(fields));
    return readWithLookup({ head, totalBytes: head.length }, JSON_TYPE, undefined).beginning;
  };
  const message = (content: unknown) => ({ messages: [{ role: 'user', content }] });

  it('has a hash for each length that it has', () => {
    const counts = [59, 60, 251, 252, 20_000].map((length) => beginning(message('x'.repeat(length)))?.hashes.length);
    expect(counts).toEqual([0, 1, 1, 2, 5]);
    expect(beginning(message('x'.repeat(100)))?.totalChars).toBe(104);
    expect(beginning({ model: 'm' })).toBeUndefined();
  });

  it('is the same up to where two prompts part', () => {
    const [one, other] = ['a', 'b'].map((end) => beginning(message(`${'x'.repeat(500)}${end.repeat(1_000)}`)));
    expect(one?.hashes.slice(0, 2)).toEqual(other?.hashes.slice(0, 2));
    expect(one?.hashes[2]).not.toBe(other?.hashes[2]);
  });

  it('begins with the system prompt, wherever that stands in the request', () => {
    const system = 's'.repeat(100);
    const one = beginning({ ...message('hello'), system });
    expect(one?.hashes[0]).toBe(beginning({ system, ...message('bye') })?.hashes[0]);
    expect(one?.hashes[0]).not.toBe(beginning({ ...message('hello'), system: 'other'.repeat(20) })?.hashes[0]);
  });

  it('knows token ids and tools, and sees no difference in images', () => {
    const ids = (first: number) => beginning({ prompt: [first, ...Array(20).fill(7)] })?.hashes[0];
    expect(ids(1)).not.toBe(ids(2));
    expect(ids(1)).toBe(ids(1));
    const tools = [{ name: 'f', description: 'd'.repeat(80) }];
    expect(beginning({ ...message('hello'), tools })?.toolsHash).toBe(beginning({ tools, input: 'x' })?.toolsHash);
    const image = (data: string) => [{ type: 'image_url', image_url: { url: `data:${data}` } }, 'x'.repeat(60)];
    expect(beginning(message(image('A')))).toEqual(beginning(message(image('B'))));
  });
});
