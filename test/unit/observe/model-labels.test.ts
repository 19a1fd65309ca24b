// Goal: a model name becomes a label only when it was vouched for, and never more than 20 of them.
// Method: admitting and asking.
import { expect, test } from 'vitest';
import { MODELS_MAX_COUNT } from '../../../src/base/limits.ts';
import { ModelLabels } from '../../../src/observe/model-labels.ts';

function names(count: number, prefix = 'm'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

test('a name that nobody vouched for is other, as is no name', () => {
  const labels = new ModelLabels(['a']);
  expect(['a', 'A', 'b', '', undefined].map((name) => labels.labelOf(name))).toEqual([
    'a',
    'other',
    'other',
    'other',
    'other',
  ]);
});

test('a name that was admitted is a label from then on', () => {
  const labels = new ModelLabels([]);
  labels.admit('a');
  labels.admit('a');
  expect([labels.labelOf('a'), labels.foldedCount]).toEqual(['a', 0]);
});

test('no name and an empty name are not admitted', () => {
  const labels = new ModelLabels([]);
  labels.admit(undefined);
  labels.admit('');
  for (const name of names(MODELS_MAX_COUNT)) labels.admit(name);
  expect([labels.foldedCount, labels.labelOf('')]).toEqual([0, 'other']);
});

test('the last name that fits is a label, the next one is other and counted', () => {
  const labels = new ModelLabels(names(1, 'configured'));
  for (const name of names(MODELS_MAX_COUNT)) labels.admit(name);
  expect([labels.labelOf('configured0'), labels.labelOf(`m${MODELS_MAX_COUNT - 2}`)]).toEqual([
    'configured0',
    `m${MODELS_MAX_COUNT - 2}`,
  ]);
  expect([labels.labelOf(`m${MODELS_MAX_COUNT - 1}`), labels.foldedCount]).toEqual(['other', 1]);
});

test.each(['m\r\nm', 'm\u0000', 'm\u001b[2J', 'm\u0085', 'm\u2028', 'm\u202e', '\ud800'])(
  'a name with characters that end or turn lines is no label: %j',
  (name) => {
    const labels = new ModelLabels([]);
    labels.admit(name);
    labels.admit('Qwen/Qwen2.5 Größe-7B:latest');
    expect([labels.labelOf(name), labels.foldedCount]).toEqual(['other', 1]);
    expect(labels.labelOf('Qwen/Qwen2.5 Größe-7B:latest')).not.toBe('other');
  },
);

test('a name without a label is counted once, however often it is served', () => {
  const labels = new ModelLabels(names(MODELS_MAX_COUNT));
  for (const name of ['late', 'late', 'later', 'late']) labels.admit(name);
  expect(labels.foldedCount).toBe(2);
});

test('names that are labels are admitted again without being counted, full or not', () => {
  const labels = new ModelLabels(names(MODELS_MAX_COUNT));
  labels.admit('m0');
  expect(labels.foldedCount).toBe(0);
});

test('configured names beyond the cap are other', () => {
  const labels = new ModelLabels(names(MODELS_MAX_COUNT + 1));
  expect([labels.labelOf(`m${MODELS_MAX_COUNT - 1}`), labels.labelOf(`m${MODELS_MAX_COUNT}`)]).toEqual([
    `m${MODELS_MAX_COUNT - 1}`,
    'other',
  ]);
});

test('names that are configured later come first, and of the learnt ones those stay for which there is room', () => {
  const labels = new ModelLabels([]);
  for (const name of names(MODELS_MAX_COUNT)) labels.admit(name);
  labels.configure(['new', 'm1']);
  const shown = ['new', 'm0', 'm1', `m${MODELS_MAX_COUNT - 2}`, `m${MODELS_MAX_COUNT - 1}`];
  expect(shown.map((name) => labels.labelOf(name))).toEqual([...shown.slice(0, -1), 'other']);
});
