// Goal: a request's facts are read from a whole copy and from the two ends of a large one, and a
// prompt can never pass for the request's own fields. Method: exact readings; a property against
// JSON.parse over random objects and cuts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsFromEnd, fieldsFromStart } from '../../../src/stream/json-edges.ts';
import { pathOfTarget } from '../../../src/base/head-rules.ts';
import { readRequest as readWithLookup, type RequestCopy } from '../../../src/stream/request-reader.ts';
import { fuzz } from '../../support/fuzz.ts';

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
      fuzz(300),
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

it.each([
  ['/v1/chat/completions?api_key=secret', '/v1/chat/completions'],
  ['/v1/models#secret', '/v1/models'],
  ['/a//b?', '/a//b'],
  ['http://user:secret@host:80/v1/models?key=secret', '/v1/models'],
  ['HTTPS://secret', ''],
  ['http://secret?key=secret', ''],
  ['*', '*'],
])('the path of %j is %j', (target, path) => {
  expect(pathOfTarget(target)).toBe(path);
});
