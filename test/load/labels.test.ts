// Goal: what clients make up never becomes a label (P1, T25). Method: ten thousand requests, each with a model, a
// path, a class, an agent or a method of its own, answered 404; then the series are counted. RUBATO_TEST_LABELS sets
// how many (100,000 in the reference).
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sample } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine } from '../support/raw-engine.ts';
import { head, requestOf } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';

const REQUEST_COUNT = Number(process.env['RUBATO_TEST_LABELS'] ?? 10_000);
const CLIENT_COUNT = 30;
const LIMIT_MS = 90_000 * Math.max(1, REQUEST_COUNT / 10_000);
/** Samples that 404s may add, whatever they ask for: one series of each metric that counts them. */
const GROWTH_MAX_COUNT = 600;
/** Sets of labels of all metrics together: a histogram counts once, however many buckets it has. */
const SERIES_MAX_COUNT = 500;
/** What a process may grow by, once it has had as many requests as fill its lists of what was last. */
const RSS_GROWTH_MAX_BYTES = 20 * 1024 * 1024;
const WARM_COUNT = 4_000;
const NOT_FOUND = `${head('404 Not Found', 'content-type: application/json', 'content-length: 2')}{}`;
const METHODS = ['POST', 'GET', 'PUT', 'DELETE', 'PROPFIND'];

let engine: RawEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await RawEngine.start();
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
});
afterAll(async () => {
  expect(engine.faults).toEqual([]);
  await sidecar.stop();
  await engine.stop();
});

function madeUp(index: number): Buffer {
  return requestOf({
    method: METHODS[index % METHODS.length] ?? 'POST',
    target: index % 2 === 0 ? '/v1/chat/completions' : `/tenant-${index}/v1/chat/completions?key=${index}`,
    lines: [
      'content-type: application/json',
      `x-traffic-class: class-${index}`,
      `x-request-id: request-${index}`,
      `user-agent: agent-${index}`,
    ],
    body: JSON.stringify({ model: `model-${index}`, stream: true, user: `user-${index}` }),
  });
}

/** Asks for all from one number to another, by so many clients at once. */
async function ask(from: number, to: number): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    const client = await RawClient.open(sidecar.listenPort);
    for (let nth = 0; from + nth * CLIENT_COUNT + first < to; nth += 1) {
      engine.plan(async (exchange) => {
        await exchange.untilRequestEnd();
        await exchange.write(NOT_FOUND);
      });
      client.request(madeUp(from + nth * CLIENT_COUNT + first));
      expect((await client.response(nth)).status).toBe(404);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: CLIENT_COUNT }, (_, first) => lane(first)));
  // What the engine keeps of each connection is of no more use here.
  engine.connections.length = 0;
}

/** Sets of labels of a metric, its buckets and sums taken together. */
function seriesOf(samples: readonly Sample[]): Set<string> {
  return new Set(
    samples.map(({ name, labels }) => {
      const { le: _bucket, ...own } = labels;
      return JSON.stringify([name.replace(/_(?:bucket|sum|count)$/, ''), own]);
    }),
  );
}

test(
  'P1 T25 ten thousand made-up names are no labels, and cost no memory',
  async () => {
    const before = await sidecar.metrics();
    await ask(0, WARM_COUNT);
    await sidecar.untilRecords(WARM_COUNT, 30_000);
    const rssBytes = sidecar.rssBytes();
    await ask(WARM_COUNT, REQUEST_COUNT);
    const entries = await sidecar.untilRecords(REQUEST_COUNT, LIMIT_MS / 3);
    expect(sidecar.rssBytes() - rssBytes).toBeLessThan(RSS_GROWTH_MAX_BYTES);
    expect(entries.map(({ record }) => record.end.outcome)).toEqual(entries.map(() => 'error_http'));
    expect(new Set(entries.map(({ record }) => record.request.model)).size).toBe(REQUEST_COUNT);

    const after = await sidecar.metrics();
    expect(after.length - before.length).toBeLessThan(GROWTH_MAX_COUNT);
    expect(seriesOf(after).size).toBeLessThan(SERIES_MAX_COUNT);
    const valuesOf = (name: string) =>
      new Set(after.flatMap(({ labels }) => (labels[name] === undefined ? [] : [labels[name]])));
    expect(valuesOf('model')).toEqual(new Set(['other']));
    expect(valuesOf('class')).toEqual(new Set(['default', 'interactive', 'batch']));
    expect(valuesOf('route')).toEqual(new Set(['default']));
    const { text } = await sidecar.admin('/metrics');
    expect(text).not.toMatch(/(?:model|class|request|agent|user|tenant)-\d/);
  },
  LIMIT_MS,
);
