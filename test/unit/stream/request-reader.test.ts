// Goal: a request's facts are read from a whole copy and from the two ends of a large one, and a
// prompt can never pass for the request's own fields. Method: exact readings; a property against
// JSON.parse over random objects and cuts.
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsFromEnd, fieldsFromStart } from '../../../src/stream/json-edges.ts';
import { readRequest as readWithLookup, type RequestCopy } from '../../../src/stream/request-reader.ts';

/** The reading without its look-up of further fields and without hashes, which have tests of their own. */
function readRequest(copy: RequestCopy, mediaType: string | undefined, encoding: string | undefined, path?: string) {
  const { field: _, beginning: __, ...reading } = readWithLookup(copy, mediaType, encoding, path);
  return reading;
}

const JSON_TYPE = 'application/json';

function whole(body: string, mediaType: string | undefined = JSON_TYPE, encoding?: string) {
  const head = Buffer.from(body);
  return readRequest({ head, totalBytes: head.length }, mediaType, encoding);
}

/** Reads a body of which only so many bytes at each end are known. */
function ends(body: string, headBytes: number, tailBytes: number) {
  const bytes = Buffer.from(body);
  const copy = { head: bytes.subarray(0, headBytes), tail: bytes.subarray(bytes.length - tailBytes) };
  return readRequest({ ...copy, totalBytes: bytes.length }, JSON_TYPE, undefined);
}

describe('a whole request', () => {
  it('gives every field, bounded', () => {
    const request = {
      messages: [{ role: 'user', content: 'Grüße' }],
      model: 'm'.repeat(300),
      stream: true,
      n: 2,
      max_tokens: 10,
      max_completion_tokens: 20,
      service_tier: 'flex',
      priority: -3,
    };
    expect(whole(JSON.stringify(request), 'Application/JSON; charset=utf-8')).toEqual({
      model: 'm'.repeat(128),
      stream: true,
      choices: 2,
      maxTokens: 20,
      serviceTier: 'flex',
      priority: -3,
      promptBytes: 'user'.length + 7,
      promptChars: 'user'.length + 5,
      cut: false,
    });
  });

  it.each([
    ['no JSON', 'stream=true', JSON_TYPE, undefined],
    ['JSON that is no object', '["model"]', JSON_TYPE, undefined],
    ['a coded body', '{"model":"m"}', JSON_TYPE, 'gzip'],
    ['another media type', '{"model":"m"}', 'multipart/form-data; boundary=x', undefined],
    [
      'fields of wrong types',
      '{"model":1,"stream":"yes","n":-1,"max_tokens":1.5,"priority":1e999}',
      JSON_TYPE,
      undefined,
    ],
    ['nothing', '', JSON_TYPE, undefined],
  ])('gives nothing for %s', (_, body, mediaType, encoding) => {
    expect(whole(body, mediaType, encoding)).toEqual({ cut: false });
  });

  it.each([[undefined], ['application/x-www-form-urlencoded'], ['text/plain']])(
    'reads JSON sent as %j',
    (mediaType) => {
      const head = Buffer.from('{"model":"m"}');
      expect(readRequest({ head, totalBytes: 13 }, mediaType, 'identity').model).toBe('m');
    },
  );

  it('looks up further plain fields, and holds nothing long', () => {
    const lookUp = (body: string) => {
      const head = Buffer.from(body);
      return readWithLookup({ head, totalBytes: head.length }, JSON_TYPE, undefined).field;
    };
    const field = lookUp(`{"user":"u","temperature":0.5,"echo":false,"stop":["x"],"prompt":"${'p'.repeat(200)}"}`);
    const names = ['user', 'temperature', 'echo', 'stop', 'prompt', 'toString', '__proto__'];
    expect(names.map((name) => field?.(name))).toEqual(['u', 0.5, false, ...Array(4).fill(undefined)]);
    const many = lookUp(
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]))),
    );
    expect([many?.('f63'), many?.('f64')]).toEqual([63, undefined]);
    expect(lookUp('no JSON')).toBeUndefined();
  });

  it('counts the text of the prompt, and not images and sound', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const content = [{ type: 'text', text: 'hello' }, image, sound];
    const bytes = 'user'.length + 'texthello'.length + 'image_url'.length + 'input_audiowav'.length;
    expect(whole(JSON.stringify({ messages: [{ role: 'user', content }] })).promptBytes).toBe(bytes);
    expect(whole('{"prompt":"abc","tools":[{"name":"f","strict":true}],"input":null}').promptBytes).toBe(4);
    expect(whole('{"model":"m"}').promptBytes).toBeUndefined();
  });

  it('counts a prompt of token ids, however many, and however deep', () => {
    expect(whole(`{"prompt":[${'1,'.repeat(199_999)}1]}`).promptBytes).toBe(800_000);
    expect(whole(`{"prompt":${'['.repeat(50_000)}"a"${']'.repeat(50_000)}}`).promptBytes).toBe(1);
  });
});

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

describe('the ends of a large request', () => {
  const prompt = 'x'.repeat(1000);

  it('gives what stands before and behind the prompt', () => {
    const body = `{"n": 2, "messages":[{"content":"${prompt}"}], "model" : "m", "stream":true\n}\n`;
    expect(ends(body, 100, 100)).toEqual({ choices: 2, model: 'm', stream: true, cut: true });
  });

  it('never takes text of the prompt for a field', () => {
    const text = JSON.stringify(`","model":"evil","stream":true,"x":{"model":"evil"}} \\" ${prompt}`);
    const body = `{"messages":[{"content":${text}},{"model":"nested"}],"stream":false}`;
    for (let cut = 20; cut < body.length - 20; cut += 1) {
      expect(ends(body, 20, cut)).toEqual({ stream: false, cut: true });
      expect(ends(body, cut, 20)).toEqual({ stream: false, cut: true });
    }
  });

  it('keeps the last of duplicate keys', () => {
    expect(ends(`{"model":"a","model":"b","x":"${prompt}"}`, 40, 40).model).toBe('b');
    expect(ends(`{"model":"a","x":"${prompt}","model":"b","model":"c"}`, 40, 40).model).toBe('c');
  });

  it('gives what the first part holds when the last is missing or broken off', () => {
    const head = Buffer.from(`{"model":"m","messages":"${prompt}`);
    const reading = readRequest({ head, totalBytes: 9999 }, JSON_TYPE, undefined);
    expect(reading).toEqual({ model: 'm', cut: true });
    const broken = readRequest({ head, tail: Buffer.from('"stream":true'), totalBytes: 9999 }, JSON_TYPE, undefined);
    expect(broken).toEqual({ model: 'm', cut: true });
  });

  it('takes keys for what they are', () => {
    expect(ends(`{"__proto__":{"model":"x"},"__proto__":"y","a":"${prompt}"}`, 60, 20)).toEqual({ cut: true });
  });

  it('ignores what is no object', () => {
    expect(ends(`["model","m","${prompt}","model","m"]`, 30, 30)).toEqual({ cut: true });
    expect(ends(`  ${prompt}  `, 30, 30)).toEqual({ cut: true });
  });
});

describe('fields at the edges', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant('\\"}],{'));
  const value = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar));
  const object = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('model', 'stream')), value, { maxKeys: 6 });

  it('are a part of what JSON.parse sees, and all of it when nothing is cut', () => {
    fc.assert(
      fc.property(object, fc.nat(4), fc.nat(), (fields, indent, seed) => {
        const bytes = Buffer.from(JSON.stringify(fields, null, indent));
        const scalars = Object.entries(fields).filter(([, field]) => typeof field !== 'object' || field === null);
        // A brace in front and behind is missing from neither end, so every scalar must be found.
        expect(new Map(fieldsFromStart(bytes))).toEqual(new Map(scalars));
        expect(new Map(fieldsFromEnd(bytes))).toEqual(new Map(scalars));
        const cut = seed % (bytes.length + 1);
        for (const part of [fieldsFromStart(bytes.subarray(0, cut)), fieldsFromEnd(bytes.subarray(cut))]) {
          for (const [key, field] of part) expect(field).toEqual(fields[key]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['', []],
    ['{', []],
    ['{"a', []],
    ['{"a":tru', []],
    ['{"a":nope,"b":1}', [['b', 1]]],
    ['{"a":1}{"b":2}', [['a', 1]]],
    [`{"${'k'.repeat(600)}":1,"b":"${'v'.repeat(600)}","c":3}`, [['c', 3]]],
  ])('from the start of %j', (text, expected) => {
    expect([...fieldsFromStart(Buffer.from(text))]).toEqual(expected);
  });

  it.each([
    ['', []],
    ['}', []],
    ['a"}', []],
    ['"}', []],
    ['\\\\"}', []],
    ['"a":nope}', []],
    ['x"a":1}', [['a', 1]]],
    ['{"a":1}{"b":2}', [['b', 2]]],
    [`x,"a":"${'v'.repeat(600)}","c":3}`, [['c', 3]]],
  ])('from the end of %j', (text, expected) => {
    expect([...fieldsFromEnd(Buffer.from(text))]).toEqual(expected);
  });
});
