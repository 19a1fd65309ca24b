// Goal: a fault of rubato's own, wherever it sits in the path of one exchange, ends that exchange alone:
// visibly, with its engine told to stop, and with the relay and all other streams alive (F47).
// Method: a sidecar whose tape throws for chosen requests at a chosen place, beside a stream that goes on.
import { expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench({ nodeArgs: ['--import', './test/support/throw-in-relay.ts'] });

/** Runs one request beside a stream that must not notice. */
async function runBeside(throwIn: string) {
  const neighbour = bench.run({
    script: [at(0, HEAD, c(D('a'))), ...[50, 100, 150, 200, 250].map((ms) => at(ms, c(D('b')))), at(300, c(DONE), END)],
  });
  await sleep(50);
  const plan = bench.engine.plan([at(20, HEAD, c(D('a'))), at(60, c(D('b'))), at(2_000, c(DONE), END)]);
  const client = await bench.client();
  const target = `/v1/chat/completions?throw=${throwIn}`;
  client.request(chatRequest({ model: throwIn, target, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response(0, 3_000).catch(() => undefined);
  if (response?.complete !== true) await client.untilGone(3_000);
  const { response: other } = await neighbour;
  expect([other.status, other.complete]).toEqual([200, true]);
  return { client, response, plan };
}

const restarts = (): number =>
  bench.sidecar.logs.filter(({ msg }) => /relay thread (?:died|failed)/.test(String(msg))).length;

test.each(['connectStart', 'requestBytes', 'uploadEnd', 'requestSent', 'connected', 'head'])(
  'a fault in front of the head (%s) is 502 with a code of ours',
  async (place) => {
    const { response } = await runBeside(place);
    expect(response?.status).toBe(502);
    expect(response?.values('x-rubato-error')).toEqual(['RBT_INTERNAL']);
    const { record } = await bench.sidecar.record(
      place,
      ({ request, end }) => request.model === place || end.wire === 'internal_error',
    );
    expect(record.end.outcome).toBe('internal_error');
    expect(record.end.reason).toMatch(/^TypeError \S+\.ts:\d+$/);
    expect(restarts()).toBe(0);
  },
);

test.each(['headWritten', 'chunk', 'flush'])('a fault behind the head (%s) is a cut', async (place) => {
  const { client, response, plan } = await runBeside(place);
  expect([response?.status, response?.complete]).toEqual([200, false]);
  expect(client.tail.endsWith(END)).toBe(false);
  await (await plan.exchange).connection.untilGone(1_000);
  const { record } = await bench.sidecar.record(place, ({ request }) => request.model === place);
  expect(record.end.outcome).toBe('internal_error');
  expect(restarts()).toBe(0);
});

test('a fault at the end of an answer closes both connections', async () => {
  const { client, plan } = await runBeside('upstreamEnd');
  await (await plan.exchange).connection.untilGone(3_000);
  expect(client.tail.endsWith(END)).toBe(false);
  expect(restarts()).toBe(0);
});

test('a fault in the last word on an exchange is one too many, and no more', async () => {
  const { response } = await runBeside('end');
  expect(response?.complete).toBe(true);
  expect(restarts()).toBe(0);
  expect((await bench.run({ script: [at(0, HEAD, c(D('a')), c(DONE), END)] })).response.complete).toBe(true);
});
