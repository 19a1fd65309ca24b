// Goal: bytes of an engine that belong to no request reach no other client, whenever they come, and are counted;
// from then on the engine's connections are used once each (T10, F26).
// Method: a second, forged answer in the same segment, a moment later, and on an idle connection; over TCP and TLS;
// the next request comes from the same client, from another one, or was pipelined.
import { describe, expect, test } from 'vitest';
import { UPSTREAM_REST_MS } from '../../src/base/limits.ts';
import { useBench, type Bench } from '../support/bench.ts';
import { pairOf, pemPath } from '../support/certificates.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, D, DONE, END, HEAD, head, requestOf, type Step } from '../support/script.ts';
import { poll, sleep } from '../support/signal.ts';

const authority = pemPath('authority.crt.pem');
const tls = pairOf('engine');

const OK = `${head('200 OK', 'content-length: 2')}ok`;
const OWN = `${head('200 OK', 'content-length: 3')}own`;
const FORGED = `${head('200 OK', 'content-length: 6', 'x-forged: 1')}stolen`;
const STREAM = Buffer.concat([Buffer.from(HEAD), c(D('a')), c(DONE), Buffer.from(END)]);

/** Known before the next request can be sent. */
const EARLY: readonly (readonly [string, readonly Step[]])[] = [
  ['in the same segment', [at(0, OK, FORGED)]],
  ['behind a stream in the same segment', [at(0, STREAM, FORGED)]],
  ['behind an answer without a body', [at(0, head('204 No Content'), FORGED)]],
  ['that is half a line end', [at(0, OK, '\r')]],
];
/** Then a client that asks again at once could only be given what its own engine says; another one must not be. */
const LATE: readonly (readonly [string, readonly Step[]])[] = [
  ['in the next turn', [at(0, OK), at(1, FORGED)]],
  ['later', [at(0, OK), at(40, FORGED)]],
  ['shortly before a reuse', [at(0, OK), at(UPSTREAM_REST_MS - 50, FORGED)]],
  [
    'one byte at a time',
    [at(0, OK), ...Array.from(Buffer.from(FORGED), (_, index) => at(1 + index, FORGED[index] ?? ''))],
  ],
];

// A sidecar of its own for each: the first such answer ends all trust.
describe.each(EARLY)('a forged answer %s', (_when, poison) => poisonedBy(useBench(), poison, true));
describe.each(LATE)('a forged answer %s', (_when, poison) => poisonedBy(useBench(), poison, false));
describe('over TLS', () => {
  const options = { tls, args: ['--upstream-ca', authority] };
  describe('a forged answer in the same segment', () => poisonedBy(useBench(options), EARLY[0]?.[1] ?? [], true));
  describe('a forged answer in the next turn', () => poisonedBy(useBench(options), LATE[0]?.[1] ?? [], false));
});

function poisonedBy(bench: Bench, poison: readonly Step[], isEarly: boolean): void {
  let asked = 0;

  function request(script: readonly Step[]): Buffer {
    asked += 1;
    const plan = bench.engine.plan(script);
    return requestOf({ target: `/asked-${asked}`, lines: [`${PLAN_FIELD}: ${plan.id}`] });
  }

  async function expectOwn(client: RawClient, index: number): Promise<void> {
    const response = await client.response(index);
    expect(response.values('x-forged')).toEqual([]);
    expect(response.body.toString()).toBe('own');
  }

  const surplusCount = async (): Promise<number> =>
    (await bench.sidecar.metrics()).find(({ name }) => name === 'rubato_self_upstream_surplus_total')?.value ?? 0;

  test('does not reach another client, now or after a rest', async () => {
    const [first, second] = [await bench.client(), await bench.client()];
    first.request(request(poison));
    expect((await first.response(0)).complete).toBe(true);
    second.request(request([at(0, OWN)]));
    await expectOwn(second, 0);
    await sleep(UPSTREAM_REST_MS + 80);
    second.request(request([at(0, OWN)]));
    await expectOwn(second, 1);
  });

  test('was counted, and no connection of that engine is used twice from then on', async () => {
    await poll('the count', async () => ((await surplusCount()) > 0 ? true : undefined));
    const client = await bench.client();
    const before = bench.engine.connections.length;
    for (let index = 0; index < 3; index += 1) {
      client.request(request([at(0, OWN)]));
      await expectOwn(client, index);
      await sleep(index * UPSTREAM_REST_MS * 1.2);
    }
    expect(bench.engine.connections.length - before).toBe(3);
  });

  test.runIf(isEarly)('does not reach the next request of the same client, pipelined or not', async () => {
    const client = await bench.client();
    client.request(Buffer.concat([request(poison), request([at(0, OWN)])]));
    client.parser.bodyless.push(false);
    await expectOwn(client, 1);
    client.request(request(poison));
    expect((await client.response(2)).complete).toBe(true);
    client.request(request([at(0, OWN)]));
    await expectOwn(client, 3);
  });
}
