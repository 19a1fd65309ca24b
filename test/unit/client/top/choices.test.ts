// Goal: keys do what the help says, and never lead beyond the streams there are. Method: keys as terminals send them.
import { describe, expect, test } from 'vitest';
import {
  chosenStreams,
  FIRST_CHOICES,
  type KeyContext,
  keysOf,
  press,
  type TopChoices,
} from '../../../../src/client/top/choices.ts';
import type { TopStream } from '../../../../src/client/top/model.ts';

const CONTEXT: KeyContext = { classes: ['batch', 'interactive'], streamCount: 25, pageCount: 10 };

function pressed(keys: readonly string[], from: TopChoices = FIRST_CHOICES, context = CONTEXT): TopChoices | 'quit' {
  let choices: TopChoices | 'quit' = from;
  for (const key of keys) if (choices !== 'quit') choices = press(choices, key, context);
  return choices;
}

function stream(id: string, part: Partial<TopStream> = {}): TopStream {
  const plain = { id, isOpen: true, class: 'interactive', model: 'm', word: 'stream' };
  return { ...plain, ageMs: 10, chunkCount: 1, stallCount: 0, stalls: [], ...part };
}

describe('what a terminal sends', () => {
  test('is told apart key by key, also when several come at once', () => {
    expect(keysOf('s\u001b[A\u001bOB\u001b[5~\u001b[6~?')).toEqual(['s', 'up', 'down', 'pageup', 'pagedown', '?']);
    expect(keysOf('\u0003')).toEqual(['interrupt']);
    expect(keysOf('\u001b')).toEqual(['escape']);
  });

  test('and is not known does nothing, least of all what its last letter would do', () => {
    expect(keysOf('\u001b[15;2q\u001b[1;5C')).toEqual(['unknown', 'unknown']);
    expect(pressed(['unknown', 'escape', 'x', '漢'])).toEqual(FIRST_CHOICES);
  });
});

test.each(['q', 'Q', 'interrupt'])('%s quits, from the help page as well', (key) => {
  expect(pressed([key])).toBe('quit');
  expect(pressed(['?', key])).toBe('quit');
});

test('s goes through the orders and back to the first', () => {
  const seen = [0, 1, 2, 3, 4].map((count) => pressed(Array.from({ length: count }, () => 's')));
  expect(seen.map((choices) => (choices === 'quit' ? '' : choices.sort))).toEqual([
    'silence',
    'worst gap',
    'age',
    'chunks',
    'silence',
  ]);
});

test('c goes through the classes and back to all, and a class that is gone leads to all', () => {
  const seen = [0, 1, 2, 3].map((count) => pressed(Array.from({ length: count }, () => 'c')));
  expect(seen.map((choices) => (choices === 'quit' ? '' : choices.class))).toEqual([
    undefined,
    'batch',
    'interactive',
    undefined,
  ]);
  expect(pressed(['c'], { ...FIRST_CHOICES, class: 'gone' })).toEqual(FIRST_CHOICES);
  expect(pressed(['c'], FIRST_CHOICES, { ...CONTEXT, classes: [] })).toEqual(FIRST_CHOICES);
});

test('any key leaves the help page and does nothing else', () => {
  expect(pressed(['?'])).toEqual({ ...FIRST_CHOICES, isHelp: true });
  expect(pressed(['?', 's'])).toEqual(FIRST_CHOICES);
});

describe('moving', () => {
  const offsets = (keys: readonly string[]): unknown => (pressed(keys) as TopChoices).offset;

  test('stays within the streams', () => {
    expect(offsets(['up'])).toBe(0);
    expect(offsets(['down', 'down', 'up'])).toBe(1);
    expect(offsets(['pagedown'])).toBe(10);
    expect(offsets(['pagedown', 'pagedown', 'pagedown'])).toBe(15);
    expect(offsets(['end'])).toBe(15);
    expect(offsets(['end', 'pageup'])).toBe(5);
    expect(offsets(['end', 'home'])).toBe(0);
  });

  test('has nowhere to go where all of them are shown', () => {
    expect(pressed(['down', 'end'], FIRST_CHOICES, { ...CONTEXT, streamCount: 3 })).toEqual(FIRST_CHOICES);
  });
});

describe('the order of streams', () => {
  const all = [
    stream('a', { silentMs: 5, gapMaxMs: 90, ageMs: 700, chunkCount: 3 }),
    stream('b', { silentMs: 50, gapMaxMs: 60, ageMs: 500, chunkCount: 9, class: 'batch' }),
    // Before its first token it has been silent since it was opened.
    stream('c', { ageMs: 20, chunkCount: 0 }),
    stream('z', { isOpen: false, ageMs: 9_999, chunkCount: 99, gapMaxMs: 999 }),
    stream('y', { isOpen: false, class: 'batch' }),
  ];
  const order = (part: Partial<TopChoices>): string =>
    chosenStreams(all, { ...FIRST_CHOICES, ...part })
      .map(({ id }) => id)
      .join('');

  test('is that which was chosen, with the ended ones behind as they came', () => {
    expect(order({ sort: 'silence' })).toBe('bcazy');
    expect(order({ sort: 'worst gap' })).toBe('abczy');
    expect(order({ sort: 'age' })).toBe('abczy');
    expect(order({ sort: 'chunks' })).toBe('baczy');
  });

  test('leaves out other classes', () => {
    expect(order({ class: 'batch' })).toBe('by');
    expect(order({ class: 'gone' })).toBe('');
  });
});
