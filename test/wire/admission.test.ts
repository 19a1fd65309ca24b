// Goal: the admission queue lets in by limit and priority, refuses with 503 and a hint, tells its wait as rubato's own
// time and never as the engine's, and loses no place. What it does for overload: test/load/admission.test.ts.
// Method: raw clients and a raw engine, each answer open until it is told to end.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configFile } from '../support/config-file.ts';
import { expectSplitToSum } from '../support/answer.ts';
import { useBench, type Bench } from '../support/bench.ts';
import type { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const NS_PER_MS = 1e6;
const LOOK_AFTER_MS = 150;
/** The end of a client lies behind what it sent: the kernel is asked for it now and then, which takes up to 11 s. */
const LEFT_UNREAD_WAIT_MS = 20_000;

interface Asked {
  readonly client: RawClient;
  readonly model: string;
  /** The engine has the request. */
  readonly arrived: Promise<EngineExchange>;
  /** Ends its answer. */
  end(): Promise<void>;
}

let askedCount = 0;

/** Asks for a stream that goes on until it is ended. */
async function ask(bench: Bench, className: string, more: { readonly text?: string } = {}): Promise<Asked> {
  askedCount += 1;
  const model = `asked-${askedCount}`;
  const plan = bench.engine.plan([at(0, HEAD), at(0, c(D('a')))]);
  const client = await bench.client();
  const lines = [`${PLAN_FIELD}: ${plan.id}`, `x-traffic-class: ${className}`];
  client.request(chatRequest({ model, lines, body: JSON.stringify({ model, stream: true, user: more.text ?? '' }) }));
  return {
    client,
    model,
    arrived: plan.exchange,
    async end() {
      await (await plan.exchange).write(c(DONE), END);
      await client.response();
    },
  };
}

function recordOf(bench: Bench, { model }: Asked): Promise<RecordEntry> {
  return bench.sidecar.record(model, (record) => record.request.model === model);
}

/** How many of the class interactive have waited so far: this test may be tried again. */
async function waitCount(bench: Bench): Promise<number> {
  const samples = await bench.sidecar.metrics();
  const waits = samples.find(
    ({ name, labels }) => name === 'rubato_admission_wait_seconds_count' && labels['class'] === 'interactive',
  );
  return waits?.value ?? 0;
}

/** Whether the engine has it after a while. */
async function hasArrived({ arrived }: Asked): Promise<boolean> {
  return Promise.race([arrived.then(() => true), sleep(LOOK_AFTER_MS).then(() => false)]);
}

describe('one place for all', () => {
  const bench = useBench(() => ({
    args: [
      '--config',
      configFile(
        'admission:\n  max_running: 1\n  classes:\n' +
          '    - { class: interactive, priority: 1, max_wait_ms: 60000 }\n' +
          '    - { class: batch, max_waiting: 1, max_wait_ms: 60000 }\n' +
          '    - { class: default, max_wait_ms: 300 }\n',
      ),
    ],
  }));

  test('the next waits for it, and its wait is of the part rubato, not of upload, connect or engine', async () => {
    const waitsBefore = await waitCount(bench);
    const first = await ask(bench, 'interactive');
    await first.client.bodyBytes(1);
    const second = await ask(bench, 'interactive');
    expect(await hasArrived(second)).toBe(false);
    await first.end();
    await second.arrived;
    await second.end();
    const waited = await recordOf(bench, second);
    expectSplitToSum(waited);
    const { split } = waited.figures;
    // The wait counts from when the head was received, which a busy machine makes later than it was sent.
    expect(split?.rubato.waitNs).toBeGreaterThanOrEqual((LOOK_AFTER_MS / 3) * NS_PER_MS);
    expect(split?.rubatoNs).toBeGreaterThanOrEqual(split?.rubato.waitNs ?? Infinity);
    const elsewhereNs = (waited.figures.ttftNs ?? 0) - (split?.rubato.waitNs ?? 0);
    expect((split?.networkNs ?? 0) + (split?.engineNs ?? 0)).toBeLessThanOrEqual(elsewhereNs);
    expect((await recordOf(bench, first)).figures.split?.rubato.waitNs).toBeUndefined();
    expect((await waitCount(bench)) - waitsBefore).toBe(1);
  });

  test('a higher class goes before one that waits longer', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const batch = await ask(bench, 'batch');
    expect(await hasArrived(batch)).toBe(false);
    const urgent = await ask(bench, 'interactive');
    expect(await hasArrived(urgent)).toBe(false);
    await first.end();
    await urgent.arrived;
    expect(await hasArrived(batch)).toBe(false);
    await urgent.end();
    await batch.arrived;
    await batch.end();
  });

  test('is refused at once where as many wait as may, with a hint when to come again', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const waiting = await ask(bench, 'batch');
    expect(await hasArrived(waiting)).toBe(false);
    const refused = await ask(bench, 'batch');
    const response = await refused.client.response();
    expect([response.status, response.values('x-rubato-error'), response.values('retry-after')]).toEqual([
      503,
      ['RBT_SHED'],
      ['1'],
    ]);
    await first.end();
    await waiting.arrived;
    await waiting.end();
    const shed = (): RecordEntry | undefined =>
      bench.sidecar.records().find(({ record }) => record.end.reason === 'queue_full');
    const { record, figures } = await poll('the record of the refusal', shed);
    expect([record.end.outcome, record.class.name, figures.ttftNs]).toEqual(['shed', 'batch', undefined]);
  });

  test('is refused when it has waited as long as its class may', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const late = await ask(bench, 'default');
    expect((await late.client.response()).status).toBe(503);
    const aged = (): RecordEntry | undefined =>
      bench.sidecar.records().find(({ record }) => record.end.reason === 'queue_age');
    const { record } = await poll('the record of the refusal', aged);
    expect(record.end.outcome).toBe('shed');
    expect(record.marks.clientEndAtNs).toBeGreaterThanOrEqual(300 * NS_PER_MS);
    await first.end();
  });

  test('a client that leaves the queue leaves no hole in it, and asks the engine for nothing', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    // More than is read before its turn, so that nobody reads its connection.
    const gone = await ask(bench, 'interactive', { text: 'x'.repeat(400_000) });
    const next = await ask(bench, 'interactive');
    expect(await hasArrived(gone)).toBe(false);
    gone.client.close();
    const left = (): RecordEntry | undefined =>
      bench.sidecar.records().find(({ record }) => record.end.outcome === 'client_abort');
    await poll('the record of the one who left', left, LEFT_UNREAD_WAIT_MS);
    await first.end();
    await next.arrived;
    await next.end();
    expect(await hasArrived(gone)).toBe(false);
  });

  test('T01 who leaves the queue before anybody asked the kernel for it leaves no hole either', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const abortCount = (): number =>
      bench.sidecar.records().filter(({ record }) => record.end.outcome === 'client_abort').length;
    const before = abortCount();
    const count = 5;
    // The kernel takes all that they send, and is asked once a second: not between each coming and its leaving.
    for (let nth = 0; nth < count; nth += 1) {
      const gone = await ask(bench, 'interactive', { text: 'x'.repeat(150_000) });
      await sleep(50);
      gone.client.close();
    }
    const all = (): true | undefined => (abortCount() === before + count ? true : undefined);
    await poll('the records of all who left', all, LEFT_UNREAD_WAIT_MS);
    await first.end();
  });

  test('what asks for no work does not wait', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    bench.engine.plan([at(0, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')]);
    const client = await bench.client();
    client.request('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await client.response()).status).toBe(200);
    await first.end();
  });

  test('a large body that waited arrives whole', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const large = await ask(bench, 'interactive', { text: 'y'.repeat(3_000_000) });
    expect(await hasArrived(large)).toBe(false);
    await first.end();
    const exchange = await large.arrived;
    await poll('the whole body', () => (exchange.request.body.length >= 3_000_000 ? true : undefined));
    await large.end();
    expect((await recordOf(bench, large)).record.end.outcome).toBe('ok');
  });
});

describe('while it runs', () => {
  const path = configFile('admission: { max_running: 1 }\n');
  const bench = useBench({ args: ['--config', path] });

  test('the key can be taken away, and who waits goes on', async () => {
    const first = await ask(bench, 'interactive');
    await first.arrived;
    const second = await ask(bench, 'interactive');
    expect(await hasArrived(second)).toBe(false);
    writeFileSync(path, 'log-level: info\n');
    process.kill(bench.sidecar.pid, 'SIGHUP');
    await second.arrived;
    const third = await ask(bench, 'interactive');
    await third.arrived;
    for (const asked of [first, second, third]) await asked.end();
  });
});
