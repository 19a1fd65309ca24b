// Goal: the first route that matches wins, and no spelling of a target reaches a route by a trick.
// Method: small route tables; targets at and next to the border of each prefix.
import { describe, expect, test } from 'vitest';
import { pickRoute } from '../../../src/relay/routes.ts';
import type { RouteRule } from '../../../src/relay/settings.ts';

function route(name: string, when: { prefix?: string; host?: string } = {}): RouteRule {
  const upstream = { secure: false, hostname: name, port: 80, hostField: undefined, ca: undefined, insecure: false };
  return { id: 0, name, prefix: when.prefix, host: when.host, upstream };
}

function picked(routes: readonly RouteRule[], target: string, host = 'front'): string | undefined {
  return pickRoute(routes, target, ['Accept', '*', 'HOST', host])?.name;
}

const reaches = (prefix: string, target: string) => picked([route('it', { prefix })], target) === 'it';

test('without routes, and without one that matches, there is none', () => {
  expect(picked([], '/')).toBeUndefined();
  expect(picked([route('a', { prefix: '/a' })], '/b')).toBeUndefined();
});

test('a route without conditions takes everything', () => {
  for (const target of ['/', '/a/../b', '//x', '*', 'http://front/a', '/%2e'])
    expect(picked([route('all')], target)).toBe('all');
});

test('the first that matches wins, whatever fits better later', () => {
  const routes = [route('v1', { prefix: '/v1' }), route('chat', { prefix: '/v1/chat' }), route('rest')];
  expect(picked(routes, '/v1/chat')).toBe('v1');
  expect(picked(routes.toReversed(), '/v1/chat')).toBe('rest');
  expect(picked(routes, '/v2')).toBe('rest');
});

describe('a prefix', () => {
  test.each([
    '/a',
    '/a/',
    '/a/b',
    '/a?',
    '/a?x=1',
    '/a/b?x=/../',
    '/a/%2',
    '/a/.b',
    '/a/b..',
    '/a/...',
    '/a/%41',
    'http://front/a',
    'HTTPS://front:1/a?x',
  ])('stands for %s', (target) => {
    expect(reaches('/a', target)).toBe(true);
  });

  test.each([
    '/',
    '/ab',
    '/A',
    '/b/a',
    'a',
    '',
    '/a%2f',
    '/a;x',
    '/a#',
    '/a.',
    'http://front/ab',
    'http://front/',
    'ftp://front/a',
    '/%61',
    '*',
  ])('does not stand for %s', (target) => {
    expect(reaches('/a', target)).toBe(false);
  });

  test('with a slash at its end stands for what lies behind it alone', () => {
    expect(['/a/', '/a/b', '/a/?x'].map((target) => reaches('/a/', target))).toEqual([true, true, true]);
    expect(['/a', '/a?x', '/ab'].map((target) => reaches('/a/', target))).toEqual([false, false, false]);
  });

  test('of one slash takes everything', () => {
    for (const target of ['/', '/a', '*', '/a/../b', 'http://front/']) expect(reaches('/', target)).toBe(true);
  });

  test.each([
    '/a/..',
    '/a/../b',
    '/a/.',
    '/a/./b',
    '/a//b',
    '/a/%2e%2e/b',
    '/a/%2E/b',
    '/a/%2fb',
    '/a/x%5C..',
    '/a/b;c',
  ])('is not reached by a path that another reader would take elsewhere: %s', (target) => {
    expect(reaches('/a', target)).toBe(false);
    expect(picked([route('a', { prefix: '/a' }), route('rest')], target)).toBe('rest');
  });
});

describe('a host', () => {
  test.each([
    ['front', true],
    ['Front', true],
    ['front:8080', true],
    ['front:', true],
    ['front.test', false],
    ['xfront', false],
    ['front:8080:1', false],
    ['', false],
  ])('"%s"', (asked, matches) => {
    expect(picked([route('it', { host: 'front' })], '/', asked)).toBe(matches ? 'it' : undefined);
  });

  test('may be an IPv6 address with or without port', () => {
    const routes = [route('it', { host: '[::1]' })];
    expect(['[::1]', '[::1]:80', '[::2]'].map((asked) => picked(routes, '/', asked))).toEqual(['it', 'it', undefined]);
  });

  test('is not matched by a request without one', () => {
    expect(pickRoute([route('it', { host: 'front' })], '/', [])).toBeUndefined();
    expect(pickRoute([route('it')], '/', [])?.name).toBe('it');
  });

  test('and a prefix must both match', () => {
    const routes = [route('both', { host: 'front', prefix: '/a' }), route('rest')];
    expect(picked(routes, '/a', 'front')).toBe('both');
    expect(picked(routes, '/b', 'front')).toBe('rest');
    expect(picked(routes, '/a', 'back')).toBe('rest');
  });
});
