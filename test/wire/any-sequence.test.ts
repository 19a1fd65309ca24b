// Goal: whatever clients and engine do in whatever order, each request ends once, with the outcome that what
// happened first gives it; no socket is left on either side and the counters balance.
// Method: random sequences of steps (fast-check, shrunk when they fail), each played against a model that waits
// until a step has shown its effect before the next is taken. FUZZ_FACTOR makes it long.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/base/outcome.ts';
import { useBench } from '../support/bench.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../support/fuzz.ts';
import { socketCountOf } from '../support/open-sockets.ts';
import { sumOf } from '../support/prometheus.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { c, CHAT_TARGET, chatRequest, D, DONE, END, FINISH, HEAD } from '../support/script.ts';
import { poll } from '../support/signal.ts';

const LANES_MAX_COUNT = 5;
const PIECE = D('piece of text');
const TEXT = 'x'.repeat(3_000);

const bench = useBench();

/** One connection of a client, and the request under way on it. */
class Lane {
  readonly outcomes: { readonly path: string; readonly allowed: Outcome }[] = [];
  state: 'idle' | 'uploading' | 'asked' | 'streaming' | 'over' = 'idle';
  paused = false;
  #client: RawClient | undefined;
  #exchange: EngineExchange | undefined;
  #path = '';
  #requestCount = 0;
  #pieceCount = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** Steps that are possible now. */
  steps(): (() => Promise<void>)[] {
    const leave = [() => this.#leave('fin'), () => this.#leave('rst')];
    switch (this.state) {
      case 'idle':
        return [() => this.#ask(true), () => this.#ask(false)];
      case 'uploading':
        return [() => this.#finishUpload(), () => this.#leave('rst'), () => this.#breakOff()];
      case 'asked':
        return [() => this.#begin(), ...leave, () => this.#breakOff()];
      case 'streaming':
        return [
          () => this.#piece(),
          () => this.#piece(),
          () => this.#finish(),
          () => this.#togglePause(),
          ...leave,
          () => this.#breakOff(),
        ];
      case 'over':
        return [];
    }
  }

  /** Ends what is under way, well. */
  async close(): Promise<void> {
    if (this.state === 'uploading') await this.#finishUpload();
    if (this.state === 'asked') await this.#begin();
    if (this.state === 'streaming') await this.#finish();
    this.#client?.close();
  }

  async #ask(whole: boolean): Promise<void> {
    const { engine, sidecar } = bench;
    this.#client ??= await RawClient.open(sidecar.listenPort);
    // A body that was broken off may not even tell its model.
    this.#path = `/${crypto.randomUUID()}${CHAT_TARGET}`;
    const plan = engine.plan([]);
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: TEXT }] });
    const bytes = chatRequest({ target: this.#path, body, lines: [`${PLAN_FIELD}: ${plan.id}`] });
    const given = whole ? bytes.length : bytes.length - 1_000;
    this.#client.request(bytes.subarray(0, given));
    this.#rest = bytes.subarray(given);
    this.#exchange = await plan.exchange;
    this.#pieceCount = 0;
    this.state = 'uploading';
    if (whole) await this.#finishUpload();
  }

  async #finishUpload(): Promise<void> {
    await this.#client?.send(this.#rest);
    await this.#exchange?.untilRequestEnd();
    this.state = 'asked';
  }

  async #begin(): Promise<void> {
    await this.#exchange?.write(HEAD, c(PIECE));
    this.#pieceCount = 1;
    this.state = 'streaming';
    await this.#client?.bodyBytes(PIECE.length, this.#requestCount);
  }

  async #piece(): Promise<void> {
    await this.#exchange?.write(c(PIECE));
    this.#pieceCount += 1;
    if (!this.paused) await this.#client?.bodyBytes(this.#pieceCount * PIECE.length, this.#requestCount);
  }

  async #togglePause(): Promise<void> {
    this.paused = !this.paused;
    if (this.paused) this.#client?.pause();
    else this.#client?.resume();
    await Promise.resolve();
  }

  async #finish(): Promise<void> {
    await this.#exchange?.write(c(FINISH + DONE), END);
    if (this.paused) await this.#togglePause();
    const response = await this.#client?.response(this.#requestCount);
    expect([response?.complete, response?.bodyBytes]).toEqual([
      true,
      this.#pieceCount * PIECE.length + (FINISH + DONE).length,
    ]);
    this.#end('ok');
    this.state = 'idle';
    this.#requestCount += 1;
  }

  async #leave(how: 'fin' | 'rst'): Promise<void> {
    this.#client?.[how]();
    await this.#exchange?.connection.untilGone();
    this.#end('client_abort');
  }

  async #breakOff(): Promise<void> {
    const reused = (this.#exchange?.connection.exchanges.length ?? 0) > 1;
    const headSent = this.state === 'streaming';
    this.#exchange?.rst();
    if (this.paused) await this.#togglePause();
    if (headSent) {
      await this.#client?.untilGone();
      expect(this.#client?.parser.messages[this.#requestCount]?.complete).toBe(false);
      this.#end('upstream_aborted');
      return;
    }
    expect((await this.#client?.response(this.#requestCount))?.status).toBe(502);
    this.#end(reused ? 'upstream_reset_reused' : 'upstream_closed_before_head');
  }

  #end(allowed: Outcome): void {
    this.outcomes.push({ path: this.#path, allowed });
    this.state = 'over';
  }
}

async function play(picks: readonly number[]): Promise<void> {
  const lanes = Array.from({ length: LANES_MAX_COUNT }, () => new Lane());
  for (const pick of picks) {
    const steps = lanes.flatMap((lane) => lane.steps());
    await steps[pick % Math.max(1, steps.length)]?.();
  }
  for (const lane of lanes) await lane.close();

  for (const { path, allowed } of lanes.flatMap(({ outcomes }) => outcomes)) {
    const { record } = await bench.sidecar.record(path, ({ request }) => request.path === path);
    expect([path, record.end.outcome]).toEqual([path, allowed]);
  }
  expect(sumOf(await bench.sidecar.metrics(), 'rubato_active')).toBe(0);
}

test(
  'any sequence of steps gives each request one end, the right one, and leaves nothing',
  async () => {
    const before = socketCountOf(bench.sidecar.pid);
    const sequence = fc.array(fc.nat(), { minLength: 5, maxLength: 60, size: 'max' });
    await fc.assert(fc.asyncProperty(sequence, play), { ...fuzz(25), endOnFailure: true });

    const { engine, sidecar } = bench;
    // A request more than once in the records, or in the counters, would have had two ends.
    const entries = sidecar.records();
    expect(new Set(entries.map(({ record }) => record.request.path)).size).toBe(entries.length);
    expect(entries.length).toBe(engine.requestCount);
    const counted = (await sidecar.metrics()).filter(({ name }) => name === 'rubato_exchanges_total');
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(entries.length);
    await poll(
      'the engine to be left alone',
      () => (engine.openConnections.length === 0 ? true : undefined),
      15_000,
      50,
    );
    // Scrapes of this test may have left a connection or two open.
    const { pid } = sidecar;
    await poll('all sockets to be closed', () => (socketCountOf(pid) <= before + 2 ? true : undefined), 15_000, 50);
  },
  FUZZ_TIMEOUT_MS,
);
