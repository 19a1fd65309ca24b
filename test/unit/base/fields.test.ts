// Goal: look-ups in a raw head find a name in any case, the first or all of its values, and nothing else.
// Method: small heads with repetitions and near misses.
import { describe, expect, test } from 'vitest';
import { fieldList, fieldValue, listMembers } from '../../../src/base/fields.ts';

const FIELDS = [
  'Host',
  'a',
  'X-Class',
  'first',
  'x-class',
  'second',
  'X-Classy',
  'near',
  'Empty',
  '',
  'accept',
  'host',
];

describe('one value', () => {
  test.each([
    ['in any case', 'host', 'a'],
    ['the first of several', 'x-class', 'first'],
    ['empty', 'empty', ''],
    ['not of a longer name', 'x-classy', 'near'],
    ['not of a shorter name', 'x-clas', undefined],
    ['not of a value', 'first', undefined],
    ['none', 'cookie', undefined],
  ])('%s', (_, name, value) => {
    expect(fieldValue(FIELDS, name)).toBe(value);
  });

  test('none in an empty head', () => {
    expect(fieldValue([], 'host')).toBeUndefined();
  });
});

describe('all values', () => {
  test.each([
    ['joined in order', 'x-class', 'first, second'],
    ['of one field alone', 'host', 'a'],
    ['empty', 'empty', ''],
    ['none', 'cookie', undefined],
  ])('%s', (_, name, value) => {
    expect(fieldList(FIELDS, name)).toBe(value);
  });

  test('an empty value first is still a member', () => {
    expect(fieldList(['a', '', 'A', 'b'], 'a')).toBe(', b');
  });
});

describe('members of a list', () => {
  test.each([
    [undefined, []],
    ['', []],
    [' , ,', []],
    ['close', ['close']],
    ['Close , X-Foo,,\tkeep-alive', ['close', 'x-foo', 'keep-alive']],
    ['a b', ['a b']],
  ])('%j', (value, members) => {
    expect(listMembers(value)).toEqual(members);
  });
});
