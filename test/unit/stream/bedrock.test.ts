// Goal: what is a token in Bedrock's streams and what is not, whoever's words they are in.
// Method: one frame a case through the whole reader, exact kind and channels; paths.
import { describe, expect, it } from 'vitest';
import { dialectForPath } from '../../../src/stream/dialects.ts';
import { chunkFrame, eventFrame } from '../../support/aws-frames.ts';
import { kinds, readAll, type Setting, type Told } from './read-all.ts';

const head = { status: 200, mediaType: 'application/vnd.amazon.eventstream' };
const at = (path: string): Setting => ({ head, hints: { method: 'POST', path } });
const converse = at('/model/m/converse-stream');
const invoke = at('/model/m/invoke-with-response-stream');
const framed = (type: string, body: object): Told => readAll([eventFrame(type, JSON.stringify(body))], converse);
const delta = (fields: unknown) => framed('contentBlockDelta', { delta: fields }).events[0];
const chunks = (...messages: object[]): Told =>
  readAll(
    messages.map((message) => chunkFrame(JSON.stringify(message))),
    invoke,
  );

describe('an event of ConverseStream', () => {
  it.each([
    ['text', { text: 'a' }, 'content', ['text']],
    ['reasoning', { reasoningContent: { text: 'a' } }, 'reasoning', ['reasoning']],
    ['encrypted reasoning', { reasoningContent: { redactedContent: 'AA==' } }, 'reasoning', ['reasoning']],
    ['input of a tool', { toolUse: { input: '{' } }, 'tool', ['tool']],
    ['an image', { image: { source: { bytes: 'AA==' } } }, 'media', ['image']],
    ['empty text', { text: '' }, 'other', undefined],
    ['a signature', { reasoningContent: { signature: 'x' } }, 'other', undefined],
    ['a citation', { citation: { title: 'x' } }, 'other', undefined],
    ['a result', { toolResult: [{ text: 'x' }] }, 'other', undefined],
    ['nothing', null, 'other', undefined],
  ])('with %s is of its kind', (_, fields, kind, generated) => {
    expect(delta(fields)).toEqual(generated === undefined ? { kind } : { kind, generated });
  });

  it('opens a tool by its name', () => {
    expect(framed('contentBlockStart', { start: { toolUse: { name: 'f' } } }).events[0]?.kind).toBe('tool');
    expect(framed('contentBlockStart', { start: { image: { format: 'png' } } }).events[0]?.kind).toBe('lifecycle');
  });

  it('without usage or stop says nothing', () => {
    expect(framed('metadata', { metrics: { latencyMs: 1 } }).tokens).toEqual({});
    expect(framed('messageStop', {}).facts).toMatchObject({ terminal: false, finishReasons: [] });
    expect(kinds(framed('initial-response', {}))).toEqual(['other']);
  });
});

describe('a chunk of InvokeModelWithResponseStream', () => {
  it.each([
    ['Llama', { generation: 'a' }],
    ['Titan', { outputText: 'a' }],
    ['Mistral', { outputs: [{ text: 'a' }] }],
    ['Cohere', { text: 'a', is_finished: false }],
    ['older Claude', { completion: 'a', stop_reason: null }],
  ])('in the words of %s carries text', (_, message) => {
    expect(chunks(message).events).toEqual([{ kind: 'content', generated: ['text'] }]);
  });

  it('ends with a reason, or with the metrics', () => {
    expect(chunks({ generation: '', stop_reason: 'length' }).facts).toMatchObject({
      terminal: true,
      finishReasons: ['length'],
    });
    expect(chunks({ completionReason: 'FINISH' }).facts.terminal).toBe(true);
    expect(chunks({ 'amazon-bedrock-invocationMetrics': {} }).facts.terminal).toBe(true);
    expect(chunks({ generation: 'a', stop_reason: null }).facts.terminal).toBe(false);
  });

  it('that wraps no object is a doubt', () => {
    const told = readAll(
      ['"x"', '[1]', '', '{'].map((text) => chunkFrame(text)),
      invoke,
    );
    expect(kinds(told)).toEqual(['other', 'other', 'other', 'other']);
    expect(told.doubts).toEqual(['parse_error']);
  });
});

describe('the paths of Bedrock', () => {
  it.each([
    ['/model/amazon.nova-lite-v1%3A0/converse-stream', 'bedrock-converse'],
    ['/model/amazon.nova-lite-v1:0/converse', 'bedrock-converse'],
    ['/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.m/converse-stream', 'bedrock-converse'],
    ['/model/m/invoke-with-response-stream', 'bedrock-invoke'],
    ['/model/m/invoke', 'bedrock-invoke'],
    ['/model/m/count-tokens', undefined],
  ])('%s promises %s', (path, name) => {
    expect(dialectForPath(path)?.name).toBe(name);
  });
});
