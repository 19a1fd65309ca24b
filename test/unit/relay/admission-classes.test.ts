// Goal: the relay sorts a request by its head as the observer does, and leaves alone what the head cannot tell.
// Method: rules of each kind and their near misses, heads as raw fields.
import { expect, test } from 'vitest';
import { classByHead, queueSettings, type AdmissionRules } from '../../../src/relay/admission-classes.ts';

const TURNS = { priority: 0, maxRunningCount: 1, maxWaitingCount: 2, maxWaitMs: 3 };
/** SHA-256 of `secret`. */
const KEY_SHA256 = '2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b';

const RULES: AdmissionRules = {
  maxRunningCount: 4,
  classHeader: 'x-class',
  classes: [
    { ...TURNS, name: 'jobs', rules: [{ path: '/v1/batch' }, { header: { name: 'x-kind', prefix: 'job' } }] },
    { ...TURNS, name: 'keyed', rules: [{ apiKeySha256: KEY_SHA256 }] },
    { ...TURNS, name: 'default', rules: [] },
  ],
};

test.each([
  ['its name in the class header, over any rule', '/v1/batch', ['X-Class', 'keyed'], 'keyed'],
  ['no name of a class in that header', '/v1/chat', ['x-class', 'nobody'], 'default'],
  ['its path', '/v1/batch/7?x=1', [], 'jobs'],
  ['its path behind a host', 'http://engine/v1/batch', [], 'jobs'],
  ['a path that only looks like it', '/v2/v1/batch', [], 'default'],
  ['a header', '/v1/chat', ['X-Kind', 'job-7'], 'jobs'],
  ['its key', '/v1/chat', ['authorization', 'Bearer secret'], 'keyed'],
  ['another key', '/v1/chat', ['authorization', 'Bearer secrets'], 'default'],
])('%s', (_what, target, fields, expected) => {
  expect(classByHead(RULES, target, fields)).toBe(expected);
});

test('a class that configuration dropped while some of it wait has no limit of its own', () => {
  const { turnsOf } = queueSettings(RULES);
  expect([turnsOf('jobs').maxRunningCount, turnsOf('gone').maxRunningCount]).toEqual([1, Infinity]);
});
