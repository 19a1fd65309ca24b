// Goal: the step and the batch of a route are those of its last minute, of engines only, and of reads that brought
// one event; what is not known is absent, and what was seen of another engine is forgotten.
// Method: a watch with a clock that is a value, told as sinks are told.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FLOOR_GAPS_MAX_COUNT, FLOOR_LOOK_CONTEXTS_MAX_COUNT } from '../../../../src/base/floor-limits.ts';
import type { FloorState } from '../../../../src/judge/floor/live.ts';
import type { ExchangeLabels, Report } from '../../../../src/judge/report.ts';
import { FloorWatch } from '../../../../src/observe/floor/floor-watch.ts';
import { setup } from '../../judge/floor/plans.ts';

const S = 1e9;
const MS = 1e6;

interface Open {
  readonly route: string;
  readonly tokens: number | undefined;
}

function stage(places: Readonly<Record<string, ReturnType<typeof setup> | undefined>> = { chat: setup() }) {
  const state = { nowNs: 5 * S, open: [] as Open[], running: undefined as number | undefined, asked: 0 };
  const watch = new FloorWatch({
    nowNs: () => state.nowNs,
    *openDecodes() {
      for (const { route, tokens } of state.open) {
        yield {
          route,
          contextTokens() {
            state.asked += 1;
            return tokens;
          },
        };
      }
    },
    runningCount: () => state.running,
  });
  const configure = (now: typeof places): void =>
    watch.configure(Object.entries(now).map(([name, floor]) => ({ name, ...(floor && { floor }) })));
  configure(places);
  afterEach(() => watch.close());
  return {
    state,
    watch,
    configure,
    exchange: (changes: Partial<ExchangeLabels> = {}) => new Exchange(watch, changes),
    look(...open: readonly Open[]): void {
      state.open = [...open];
      watch.look();
    },
    /** After more than a look at the states holds. */
    chat(): FloorState {
      state.nowNs += S;
      return watch.states().find(({ route }) => route === 'chat')!;
    },
  };
}

class Exchange {
  readonly #watch: FloorWatch;
  readonly #labels: ExchangeLabels;

  constructor(watch: FloorWatch, changes: Partial<ExchangeLabels>) {
    this.#watch = watch;
    this.#labels = { class: 'default', model: 'm', route: 'chat', promptBucket: 'unknown', ...changes };
  }

  /** Gaps in ms, each before a read that brought one event. */
  gaps(...lengthsMs: readonly number[]): this {
    for (const ms of lengthsMs) this.#watch.sink.onGap?.(this.#labels, 'received', ms * MS, false, undefined);
    return this;
  }

  coalesced(): this {
    this.#watch.sink.onCoalesced?.(this.#labels, 1);
    return this;
  }

  tainted(): this {
    this.#watch.sink.onTaintedGap?.(this.#labels, 'gc');
    return this;
  }

  flushed(...lengthsMs: readonly number[]): this {
    for (const ms of lengthsMs) this.#watch.sink.onGap?.(this.#labels, 'flushed', ms * MS, false, undefined);
    return this;
  }

  ends(): void {
    this.#watch.sink.onReport?.({ labels: this.#labels } as Report, undefined);
  }
}

const twenty = (ms: number): number[] => Array.from({ length: 20 }, () => ms);

describe('the step', () => {
  test('is the median of the gaps before reads with one event', () => {
    const { exchange, look, chat } = stage();
    look({ route: 'chat', tokens: 1000 });
    exchange()
      .gaps(...twenty(10), 30, 40, 50)
      .ends();
    expect(chat().stepNs).toBe(10 * MS);
  });

  test('takes none from reads that brought several, and all others', () => {
    const { exchange, look, chat } = stage();
    look({ route: 'chat', tokens: 1000 });
    const merging = exchange();
    for (const ms of twenty(10))
      merging
        .gaps(ms * 3)
        .coalesced()
        .coalesced()
        .gaps(ms);
    merging.ends();
    expect(chat().stepNs).toBe(10 * MS);
  });

  test('has every exchange apart: another that merges does not take its gap', () => {
    const { exchange, look, chat } = stage();
    look({ route: 'chat', tokens: 1000 });
    const [one, other] = [exchange(), exchange()];
    for (const ms of twenty(12)) {
      one.gaps(ms);
      other.gaps(99).coalesced();
    }
    expect(chat().stepNs).toBeUndefined();
    one.tainted();
    other.ends();
    expect(chat().stepNs).toBe(12 * MS);
  });

  test('is not known of fewer than twenty gaps, and not of gaps that are a minute old', () => {
    const { state, exchange, look, chat } = stage();
    exchange()
      .gaps(...twenty(10).slice(1))
      .ends();
    look({ route: 'chat', tokens: 1000 });
    expect(chat().stepNs).toBeUndefined();
    exchange().gaps(10).ends();
    expect(chat().stepNs).toBe(10 * MS);
    state.nowNs += 60 * S;
    look({ route: 'chat', tokens: 1000 });
    expect(chat()).toMatchObject({ batchCount: 1 });
    expect(chat().stepNs).toBeUndefined();
  });

  test('follows the newest gaps once there are more than are kept', () => {
    const { exchange, look, chat } = stage();
    look({ route: 'chat', tokens: 1000 });
    const long = exchange();
    for (let i = 0; i < FLOOR_GAPS_MAX_COUNT; i += 1) long.gaps(50);
    for (let i = 0; i < FLOOR_GAPS_MAX_COUNT; i += 1) long.gaps(5);
    expect(chat().stepNs).toBe(5 * MS);
  });

  test('is of reads received, of engines and of routes with a floor only', () => {
    const { exchange, look, chat } = stage({ chat: setup(), bare: undefined });
    look({ route: 'chat', tokens: 1000 });
    exchange()
      .flushed(...twenty(10))
      .ends();
    exchange({ edge: 'gateway' })
      .gaps(...twenty(10))
      .ends();
    exchange({ route: 'bare' })
      .gaps(...twenty(10))
      .ends();
    expect(chat().stepNs).toBeUndefined();
  });
});

describe('the batch', () => {
  test('is the mean of looks at which anybody decoded, and its context that of sequences', () => {
    const { look, chat } = stage();
    look();
    look({ route: 'chat', tokens: 1000 });
    const three = [1000, 2000, 3000].map((tokens) => ({ route: 'chat', tokens }));
    look(...three, { route: 'bare', tokens: 9000 });
    expect(chat()).toMatchObject({ basis: 'seen', batchCount: 2, contextTokens: (1000 + 3 * 2000) / 4 });
  });

  test('counts those whose context is not known, and looks at no context of them', () => {
    const { look, chat } = stage();
    look({ route: 'chat', tokens: undefined });
    expect(chat().batchCount).toBeUndefined();
    look({ route: 'chat', tokens: undefined }, { route: 'chat', tokens: 500 });
    expect(chat()).toMatchObject({ batchCount: 2, contextTokens: 500 });
  });

  test('is what the engine says, where it says anything', () => {
    const { state, look, chat } = stage();
    look({ route: 'chat', tokens: 800 }, { route: 'chat', tokens: 1000 });
    state.running = 10;
    look({ route: 'chat', tokens: 800 });
    expect(chat()).toMatchObject({ basis: 'engine', batchCount: 10, contextTokens: 800 });
    state.running = 0;
    look({ route: 'chat', tokens: 800 });
    expect(chat()).toMatchObject({ basis: 'seen', contextTokens: 2600 / 3 });
  });

  test('is not known once nobody decoded for a minute', () => {
    const { state, look, chat } = stage();
    look({ route: 'chat', tokens: 1000 });
    state.nowNs += 58 * S;
    expect(chat().batchCount).toBe(1);
    state.nowNs += S;
    expect(chat()).toEqual({ route: 'chat', ...NAMED });
  });

  test('asks no more than so many for their context', () => {
    const { state, look, chat } = stage();
    const count = FLOOR_LOOK_CONTEXTS_MAX_COUNT + 50;
    look(...Array.from({ length: count }, () => ({ route: 'chat', tokens: 100 })));
    expect(state.asked).toBe(FLOOR_LOOK_CONTEXTS_MAX_COUNT);
    expect(chat().batchCount).toBe(count);
  });

  test('keeps a minute of looks and no more', () => {
    const { look, chat } = stage();
    for (let i = 0; i < 60; i += 1) look(...Array.from({ length: 9 }, () => ({ route: 'chat', tokens: 100 })));
    for (let i = 0; i < 60; i += 1) look({ route: 'chat', tokens: 100 });
    expect(chat().batchCount).toBe(1);
  });
});

const NAMED = { model: 'llama-3.1-8b', hardware: 'h100-sxm', tensorParallelCount: 1, mode: 'roofline' };

describe('configured anew', () => {
  test('it forgets a route that has another engine, and keeps one that has not', () => {
    const { watch, configure, look, exchange, chat } = stage({ chat: setup(), rest: setup() });
    look({ route: 'chat', tokens: 1000 }, { route: 'rest', tokens: 1000 });
    exchange()
      .gaps(...twenty(10))
      .ends();
    configure({ chat: setup(), rest: setup({}, 'qwen3-8b') });
    expect(chat()).toMatchObject({ batchCount: 1, stepNs: 10 * MS });
    expect(watch.floorNs('chat')).toBeGreaterThan(0);
    expect(watch.floorNs('rest')).toBeUndefined();
    configure({ chat: undefined });
    expect(watch.states()).toEqual([]);
    expect(watch.floorNs('chat')).toBeUndefined();
    exchange()
      .gaps(...twenty(10))
      .ends();
  });
});

test('a look holds for a collection, so that gauges of one scrape belong together', () => {
  const { state, watch, look, exchange } = stage();
  look({ route: 'chat', tokens: 1000 });
  const before = watch.states();
  exchange()
    .gaps(...twenty(10))
    .ends();
  state.nowNs += 100 * MS;
  expect(watch.states()).toBe(before);
  state.nowNs += 200 * MS;
  expect(watch.states()[0]).toMatchObject({ stepNs: 10 * MS });
});

test('it looks once a second, while there is a route with a floor', () => {
  vi.useFakeTimers();
  const { state, configure } = stage({ chat: undefined });
  state.open = [{ route: 'chat', tokens: 100 }];
  vi.advanceTimersByTime(3000);
  expect(state.asked).toBe(0);
  configure({ chat: setup() });
  configure({ chat: setup() });
  vi.advanceTimersByTime(3000);
  expect(state.asked).toBe(3);
  configure({});
  vi.advanceTimersByTime(3000);
  expect(state.asked).toBe(3);
  vi.useRealTimers();
});
