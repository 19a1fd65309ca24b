// Goal: a number on the tape means one route for ever, and evidence about one engine never reaches another
// that took over its route's name.
// Method: routes as the configuration gives them, held one after the other.
import { expect, test } from 'vitest';
import { edgeRoute } from '../../../src/app/edge-routes.ts';
import { RouteBook } from '../../../src/app/route-book.ts';
import { ROUTE_NUMBERS_MAX_COUNT } from '../../../src/base/limits.ts';
import type { RouteConfig } from '../../../src/config/config.ts';
import type { EngineName } from '../../../src/record/engines.ts';

function route(name: string, port: number, engine?: EngineName): RouteConfig {
  return {
    name,
    prefix: undefined,
    host: undefined,
    upstream: { protocol: 'http:', host: '127.0.0.1', port, origin: `http://127.0.0.1:${port}` },
    engine: { name: engine, metrics: 'auto', perfMetricsUrl: undefined },
  };
}

const idsOf = (book: RouteBook, ...routes: RouteConfig[]): number[] => routes.map((each) => book.idOf(each));

test('a route keeps its number as long as it leads to the same engine, whatever its place in the list', () => {
  const book = new RouteBook();
  expect(idsOf(book, route('a', 1), route('b', 2))).toEqual([0, 1]);
  expect(idsOf(book, route('b', 2), { ...route('a', 1), prefix: '/a' })).toEqual([1, 0]);
  expect(idsOf(book, route('a', 3), route('b', 2, 'vllm'), route('c', 2))).toEqual([2, 3, 4]);
  expect(book.routes.map(({ name, engine }) => [name, engine])).toEqual([
    ['a', undefined],
    ['b', undefined],
    ['a', undefined],
    ['b', 'vllm'],
    ['c', undefined],
  ]);
});

test('an edge has a number of its own, beside a route to the same place, and says which hop it is before', () => {
  const book = new RouteBook();
  const upstream = route('a', 1).upstream;
  const edge = edgeRoute({ name: 'a', listen: { host: '127.0.0.1', port: 8081 }, upstream, hostHeader: undefined });
  expect([book.idOf(route('a', 1)), book.idOf(edge), book.idOf(edge)]).toEqual([0, 1, 1]);
  expect(book.routes.map(({ name, edge: hop, place }) => [name, hop, place])).toEqual([
    ['a', undefined, 'a'],
    ['edge:a', 'a', 'edge:a'],
  ]);
});

test('what leads elsewhere is told, and the old route is no place of evidence any more', () => {
  const book = new RouteBook();
  const places = () => book.routes.map(({ place }) => place);
  expect(book.hold([route('a', 1), route('b', 2)])).toEqual([]);
  expect(book.hold([route('a', 3), route('b', 2)])).toEqual(['a']);
  expect(places()).toEqual(['a#0', 'b', 'a']);
  expect(book.hold([route('a', 3)])).toEqual(['b']);
  expect(book.hold([route('a', 1), route('b', 2)])).toEqual(['a']);
  expect(places()).toEqual(['a', 'b', 'a#2']);
});

test('the book is bounded, and says beforehand when it is full', () => {
  const book = new RouteBook();
  for (let port = 1; port < ROUTE_NUMBERS_MAX_COUNT; port += 1) book.idOf(route('a', port));
  expect(book.hasRoomFor([route('a', 1), route('b', 1)])).toBe(true);
  expect(book.hasRoomFor([route('b', 1), route('b', 2)])).toBe(false);
});
