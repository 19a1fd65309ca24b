// Goal: an answer that was cut off or withheld is invalid in the words of every API, and nothing else is. Method:
// records of complete answers with the finish reasons that the documents of each API list.
import { expect, test } from 'vitest';
import { BATCH_INVALID_FINISHES } from '../../../src/config/presets.ts';
import { validityOf } from '../../../src/judge/valid-answer.ts';
import { buildRecord, read } from '../../support/record-builder.ts';

const TEMPLATE = buildRecord({ reads: [read(1, 'text finish'), read(2, 'done')] });

function judged(reasons: readonly string[], listed: readonly string[] = BATCH_INVALID_FINISHES) {
  return validityOf({ ...TEMPLATE, answer: { ...TEMPLATE.answer, finishReasons: [...reasons] } }, listed);
}

test.each([
  ['OpenAI chat', 'length', 'content_filter'],
  ['OpenAI Responses', 'max_output_tokens', 'content_filter'],
  ['Anthropic', 'max_tokens', 'refusal'],
  ['Anthropic, of a full context', 'model_context_window_exceeded', 'refusal'],
  ['Gemini', 'MAX_TOKENS', 'SAFETY'],
  ['Cohere', 'MAX_TOKENS', 'ERROR_TOXIC'],
  ['Bedrock Converse', 'max_tokens', 'guardrail_intervened'],
  ['Bedrock, of Titan', 'LENGTH', 'CONTENT_FILTERED'],
  ['llama.cpp', 'limit', 'content_filter'],
])('an answer that was cut off or withheld is invalid in the words of %s', (_, cutOff, withheld) => {
  expect([judged([cutOff]), judged([withheld])]).toEqual(['invalid', 'invalid']);
  expect([judged([cutOff], ['content_filter']), judged([withheld], ['length'])]).toEqual(['valid', 'valid']);
});

test.each(['stop', 'STOP', 'end_turn', 'stop_sequence', 'tool_calls', 'tool_use', 'COMPLETE', 'eos', 'FINISH'])(
  'an answer that finished with %s is valid, unless just that is listed',
  (reason) => {
    expect(judged([reason])).toBe('valid');
    expect(judged([reason], [reason.toLowerCase()])).toBe('invalid');
  },
);

test('one choice that was cut off makes the answer invalid, and without any reason nobody knows', () => {
  expect(judged(['stop', 'max_tokens'])).toBe('invalid');
  expect(judged([])).toBe('unknown');
  expect(judged([], [])).toBe('valid');
});
