// Goal: the class header first, then the rules in order, first match wins; all else is `default`.
// Method: one rule a case with what it matches and the nearest that it does not.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClassifier, type ClassSubject } from '../../../src/observe/classifier.ts';
import type { ClassRule, ClassSpec } from '../../../src/record/traffic-class.ts';

const HEADER = 'x-traffic-class';
const DEFAULT: ClassSpec = { name: 'default', stallMs: 100, rules: [] };

type Subject = Partial<Omit<ClassSubject, 'bodyField'>> & { readonly body?: Record<string, string | number | boolean> };

function subject({ body = {}, ...given }: Subject): ClassSubject {
  return { fields: [], path: '/v1/chat/completions', model: undefined, bodyField: (name) => body[name], ...given };
}

/** Whether a class with this one rule takes the exchange. */
function takes(rule: ClassRule, given: Subject): boolean {
  const classifier = createClassifier(HEADER, [{ name: 'it', stallMs: 50, rules: [rule] }, DEFAULT]);
  return classifier.classify(subject(given)).name === 'it';
}

test('without the class default there is no classifier', () => {
  expect(() => createClassifier(HEADER, [{ name: 'batch', stallMs: 1, rules: [] }])).toThrow('default');
});

describe('the class header', () => {
  const batch: ClassSpec = { name: 'batch', stallMs: 1_000, rules: [] };
  const ruled: ClassSpec = { name: 'ruled', stallMs: 10, rules: [{}] };
  const classifier = createClassifier(HEADER, [ruled, batch, DEFAULT]);

  test.each([
    ['names a class', ['X-Traffic-Class', 'batch'], 'batch'],
    ['names default', ['x-traffic-class', 'default'], 'default'],
    ['names a class nobody configured', ['x-traffic-class', 'gold'], 'ruled'],
    ['spells it otherwise', ['x-traffic-class', 'Batch'], 'ruled'],
    ['is empty', ['x-traffic-class', ''], 'ruled'],
    ['is another one', ['x-traffic-classes', 'batch'], 'ruled'],
    ['is sent twice: the first counts', ['x-traffic-class', 'batch', 'x-traffic-class', 'default'], 'batch'],
    ['is not there', [], 'ruled'],
  ])('%s', (_, fields, name) => {
    expect(classifier.classify(subject({ fields })).name).toBe(name);
  });

  test('outranks every rule and brings the settings of its class', () => {
    expect(classifier.classify(subject({ fields: [HEADER, 'batch'] }))).toBe(batch);
  });

  test('with an unknown value and no rule that matches is default', () => {
    expect(createClassifier(HEADER, [batch, DEFAULT]).classify(subject({ fields: [HEADER, 'gold'] }))).toBe(DEFAULT);
  });
});

describe('rules', () => {
  test('are tried in the order of classes, and any of a class will do', () => {
    const classes: ClassSpec[] = [
      { name: 'a', stallMs: 1, rules: [{ model: 'x' }, { path: '/a' }] },
      { name: 'b', stallMs: 2, rules: [{ path: '/a/b' }, { model: 'y' }] },
      DEFAULT,
    ];
    const nameOf = (given: Subject) => createClassifier(HEADER, classes).classify(subject(given)).name;
    expect(nameOf({ model: 'x', path: '/' })).toBe('a');
    expect(nameOf({ path: '/a/b' })).toBe('a');
    expect(nameOf({ model: 'y', path: '/' })).toBe('b');
    expect(nameOf({ model: 'z', path: '/' })).toBe('default');
  });

  test('match only when every condition does', () => {
    const rule: ClassRule = { path: '/v1', model: 'm', header: { name: 'x-a', equals: '1' } };
    const all = { path: '/v1/x', model: 'm', fields: ['x-a', '1'] };
    expect(takes(rule, all)).toBe(true);
    expect(takes(rule, { ...all, path: '/v2' })).toBe(false);
    expect(takes(rule, { ...all, model: 'n' })).toBe(false);
    expect(takes(rule, { ...all, fields: ['x-a', '2'] })).toBe(false);
  });

  test.each<[string, ClassRule, Subject, boolean]>([
    ['a header with the value', { header: { name: 'x-a', equals: 'v' } }, { fields: ['X-A', 'v'] }, true],
    ['a header with a longer value', { header: { name: 'x-a', equals: 'v' } }, { fields: ['X-A', 'v1'] }, false],
    ['a header with the prefix', { header: { name: 'x-a', prefix: 'v' } }, { fields: ['X-A', 'v1'] }, true],
    ['a header without the prefix', { header: { name: 'x-a', prefix: 'v' } }, { fields: ['X-A', 'xv'] }, false],
    ['a header that is there at all', { header: { name: 'x-a' } }, { fields: ['X-A', ''] }, true],
    ['a header that is not there', { header: { name: 'x-a', prefix: '' } }, { fields: ['X-B', 'v'] }, false],
    ['both on a header', { header: { name: 'x-a', equals: 'v', prefix: 'w' } }, { fields: ['x-a', 'v'] }, false],
    ['a path', { path: '/v1/chat' }, {}, true],
    ['another path', { path: '/v1/embeddings' }, {}, false],
    ['a model', { model: 'm' }, { model: 'm' }, true],
    ['a model with more behind it', { model: 'm' }, { model: 'm2' }, false],
    ['no model', { model: 'm' }, {}, false],
    [
      'a text of the body',
      { body: { field: 'service_tier', equals: 'flex' } },
      { body: { service_tier: 'flex' } },
      true,
    ],
    ['another text', { body: { field: 'service_tier', equals: 'flex' } }, { body: { service_tier: 'auto' } }, false],
    ['a number of the body', { body: { field: 'priority', equals: 0 } }, { body: { priority: 0 } }, true],
    ['a number sent as text', { body: { field: 'priority', equals: 0 } }, { body: { priority: '0' } }, false],
    ['a flag of the body', { body: { field: 'batch', equals: false } }, { body: { batch: false } }, true],
    ['a flag that is not there', { body: { field: 'batch', equals: false } }, {}, false],
  ])('%s', (_, rule, given, taken) => {
    expect(takes(rule, given)).toBe(taken);
  });
});

describe('an API key', () => {
  const apiKeySha256 = createHash('sha256').update('sk-secret').digest('hex');

  test.each([
    ['as a bearer token', ['Authorization', 'Bearer sk-secret'], true],
    ['with another spelling and more space', ['authorization', 'bEARER   sk-secret '], true],
    ['in x-api-key', ['X-Api-Key', 'sk-secret'], true],
    ['in api-key', ['api-key', 'sk-secret'], true],
    ['behind an authorization of another kind', ['authorization', 'Basic xyz', 'x-api-key', 'sk-secret'], true],
    ['but not when a bearer token goes before it', ['x-api-key', 'sk-secret', 'authorization', 'Bearer other'], false],
    ['but not another key', ['authorization', 'Bearer sk-secret2'], false],
    ['but not a key with a space in it', ['authorization', 'Bearer sk-secret x'], false],
    ['but not without the word', ['authorization', 'sk-secret'], false],
    ['but not its fingerprint', ['authorization', `Bearer ${apiKeySha256}`], false],
    ['but not without any key', [], false],
  ])('is known by its fingerprint %s', (_, fields, taken) => {
    expect(takes({ apiKeySha256 }, { fields })).toBe(taken);
  });
});
