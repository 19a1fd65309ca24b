// Goal: names of models are learnt from lists that pass, and from nothing else.
// Method: answers fed in pieces.
import { describe, expect, it } from 'vitest';
import { createModelList } from '../../../src/observe/model-list.ts';

function namesIn(text: string, cutAt = 7): string[] {
  const list = createModelList('GET', '/v1/models', 200);
  const bytes = Buffer.from(text);
  list?.feed(bytes.subarray(0, cutAt));
  list?.feed(bytes.subarray(cutAt));
  return list?.names() ?? ['no list'];
}

describe('a list of models', () => {
  it('gives its names in order, however it was cut', () => {
    expect(namesIn('{"object":"list","data":[{"id":"a"},{"id":"b"}]}')).toEqual(['a', 'b']);
  });

  it.each([
    ['no JSON', 'data: x\n\n'],
    ['no data', '{"object":"list"}'],
    ['data that is no list', '{"data":{"id":"a"}}'],
    ['nothing', ''],
    ['null', 'null'],
  ])('%s gives none', (_, text) => expect(namesIn(text)).toEqual([]));

  it('entries without a text as id are passed over', () => {
    expect(namesIn('{"data":[null,1,{"id":7},{"id":"a"}]}')).toEqual(['a']);
  });

  it('a list beyond the cap gives none', () => {
    expect(namesIn(`{"data":[{"id":"a"}],"pad":"${'x'.repeat(1024 * 1024)}"}`)).toEqual([]);
  });
});

it.each([
  ['POST', '/v1/models', 200],
  ['GET', '/v1/models/a', 200],
  ['GET', '/v1/models', 404],
  ['GET', '/v1/chat/completions', 200],
])('%s %s with %d is not taken for a list', (method, path, status) => {
  expect(createModelList(method, path, status)).toBeUndefined();
});

it.each(['/v1/models', '/v1/models/', '/openai/v1/models'])('%s is', (path) => {
  expect(createModelList('GET', path, 200)).toBeDefined();
});
