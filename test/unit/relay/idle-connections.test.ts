// Goal: the next request gets the idle connection that it may trust most, however many there are.
// Method: connections of numbers only, given back at known moments; thousands of them against a search through all.
import { expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../../src/base/limits.ts';
import { IdleConnections, type Idle } from '../../../src/relay/idle-connections.ts';
import { ReuseTrust } from '../../../src/relay/reuse-trust.ts';

const REST_NS = UPSTREAM_REST_MS * 1e6;
const STRANGER = {};

interface Named extends Idle {
  readonly name: string;
}

function given(...releases: readonly [string, number, object?][]): {
  readonly idle: IdleConnections<Named>;
  readonly all: readonly Named[];
} {
  const idle = new IdleConnections<Named>();
  const all = releases.map(([name, releasedAtNs, client]) => ({ name, releasedAtNs, client: client ?? {} }));
  for (const each of all) idle.add(each);
  return { idle, all };
}

test('a client gets the connection that it gave back last, rested or not', () => {
  const client = {};
  const { idle } = given(['old', 1, client], ['late', REST_NS, client], ['later', REST_NS + 1]);
  expect(idle.find(client, new ReuseTrust(), REST_NS + 2)?.name).toBe('late');
});

test('another gets the freshest of those that have rested, and none where none has', () => {
  const { idle } = given(['first', 1], ['second', 2], ['third', 3]);
  const found = [REST_NS, REST_NS + 1, REST_NS + 2, 3 * REST_NS].map(
    (atNs) => idle.find(STRANGER, new ReuseTrust(), atNs)?.name,
  );
  expect(found).toEqual([undefined, 'first', 'second', 'third']);
});

test('of an upstream that breaks its word everyone gets the one that rested longest', () => {
  const client = {};
  const { idle } = given(['first', 1], ['own', 2, client]);
  const trust = new ReuseTrust();
  trust.doubt();
  expect(idle.find(client, trust, REST_NS)).toBeUndefined();
  expect(idle.find(client, trust, REST_NS + 2)?.name).toBe('first');
});

test('what was removed is found by nobody, and is removed once', () => {
  const client = {};
  const { idle, all } = given(['first', 1], ['own', 2, client]);
  const [, own] = all as [Named, Named];
  expect([idle.remove(own), idle.remove(own), idle.count]).toEqual([true, false, 1]);
  expect(idle.find(client, new ReuseTrust(), 3 * REST_NS)?.name).toBe('first');
});

test('all are taken out at once, in the order in which they came', () => {
  const { idle, all } = given(['first', 1], ['second', 2]);
  expect(idle.clear()).toEqual(all);
  expect([idle.count, idle.find(STRANGER, new ReuseTrust(), 3 * REST_NS)]).toEqual([0, undefined]);
});

test('among thousands the same is found as by a look at each', () => {
  const { idle, all } = given(...Array.from({ length: 2_000 }, (_, nth): [string, number] => [`${nth}`, nth * 1_000]));
  const trust = new ReuseTrust();
  for (let atNs = REST_NS - 1; atNs < REST_NS + 2_000_000; atNs += 33_333) {
    const expected = all.findLast(({ releasedAtNs }) => trust.hasRested(releasedAtNs, atNs));
    expect(idle.find(STRANGER, trust, atNs)).toBe(expected);
  }
});
