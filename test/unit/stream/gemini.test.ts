// Goal: what is a token in a response of Gemini and what is not, and how its counts add up.
// Method: one part a case, exact channels; usage objects as the API, Vertex AI and gateways send them.
import { describe, expect, it } from 'vitest';
import { dialectForPath } from '../../../src/stream/dialects.ts';
import { data, readAll, type Setting } from './read-all.ts';

const gemini: Setting = { hints: { method: 'POST', path: '/v1beta/models/m:streamGenerateContent' } };
const part = (fields: unknown) => readAll([data({ candidates: [{ content: { parts: [fields] } }] })], gemini).events[0];
const counted = (usageMetadata: object) => readAll([data({ candidates: [], usageMetadata })], gemini).tokens;

describe('a part', () => {
  it.each([
    ['text', { text: 'a' }, ['text']],
    ['a thought', { text: 'a', thought: true }, ['reasoning']],
    ['a call', { functionCall: { name: 'f' } }, ['tool']],
    ['a call of a built-in tool', { toolCall: { toolType: 'GOOGLE_SEARCH', args: {} } }, ['tool']],
    ['a later piece of a call', { functionCall: { partialArgs: [{ stringValue: 'x' }] } }, ['tool']],
    ['code', { executableCode: { code: 'x' } }, ['tool']],
    ['an image', { inlineData: { mimeType: 'image/png', data: 'A' } }, ['image']],
    ['sound', { inlineData: { mimeType: 'audio/wav', data: 'A' } }, ['audio']],
    ['data of no type', { inlineData: { data: 'A' } }, ['image']],
  ])('carries a fragment when it has %s', (_, fields, generated) => {
    expect(part(fields)?.generated).toEqual(generated);
  });

  it.each([
    ['empty text', { text: '' }],
    ['a signature', { thoughtSignature: 'x' }],
    ['an empty call', { functionCall: { name: '', partialArgs: [] } }],
    ['a result', { codeExecutionResult: { output: 'x' } }],
    ["a tool's answer", { functionResponse: { name: 'f', response: {} } }],
    ['data without data', { inlineData: { mimeType: 'image/png' } }],
    ['nothing', null],
    ['a text in place of a part', 'x'],
  ])('carries none when it has %s', (_, fields) => {
    expect(part(fields)).toEqual({ kind: 'other' });
  });
});

describe('the usage of Gemini', () => {
  it.each([
    [
      'thoughts beside the candidates',
      { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 11, totalTokenCount: 23 },
      18,
    ],
    [
      'thoughts within the candidates',
      { promptTokenCount: 5, candidatesTokenCount: 18, thoughtsTokenCount: 11, totalTokenCount: 23 },
      18,
    ],
    ['thoughts alone', { promptTokenCount: 5, thoughtsTokenCount: 11, totalTokenCount: 16 }, 11],
    [
      'tokens of a tool in the total',
      {
        promptTokenCount: 5,
        candidatesTokenCount: 7,
        thoughtsTokenCount: 11,
        toolUsePromptTokenCount: 4,
        totalTokenCount: 27,
      },
      18,
    ],
    ['no total', { promptTokenCount: 5, candidatesTokenCount: 7, thoughtsTokenCount: 11 }, 18],
  ])('with %s has the whole output', (_, usage, output) => {
    expect(counted(usage)).toEqual({ prompt: 5, output, reasoning: 11, basis: 'usage' });
  });

  it('says nothing when it has no counts', () => {
    expect(counted({ trafficType: 'ON_DEMAND', totalTokenCount: 3 })).toEqual({});
    expect(counted({ promptTokenCount: 4, totalTokenCount: 4 })).toEqual({ prompt: 4 });
  });
});

describe('the end of a stream of Gemini', () => {
  it('is a reason for every candidate, or a refused prompt, and not a reason that is not set', () => {
    const ended = (...messages: object[]) =>
      readAll(
        messages.map((each) => data(each)),
        gemini,
      ).facts.terminal;
    expect(ended({ candidates: [{ finishReason: 'STOP' }] })).toBe(true);
    expect(ended({ candidates: [{ finishReason: 'FINISH_REASON_UNSPECIFIED' }] })).toBe(false);
    expect(ended({ candidates: [{ index: 0, finishReason: 'STOP' }, { index: 1 }] })).toBe(false);
    expect(ended({ promptFeedback: { blockReason: 'SAFETY' } })).toBe(true);
    expect(ended({ promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED' } })).toBe(false);
    expect(ended({ promptFeedback: {} })).toBe(false);
    expect(ended()).toBe(false);
  });
});

describe('the path of Gemini', () => {
  it.each([
    ['/v1beta/models/gemini-3-flash:streamGenerateContent', true],
    ['/v1/projects/p/locations/l/publishers/google/models/m:generateContent', true],
    ['/v1beta/models/m:countTokens', false],
    ['/v1beta/models/m:embedContent', false],
  ])('%s is one: %s', (path, isOne) => {
    expect(dialectForPath(path)?.name === 'gemini').toBe(isOne);
  });
});
