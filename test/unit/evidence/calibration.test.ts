// Goal: a calibration estimates queue and prefill only when it has reason to, and names the reason it
// lacks. Method: an imagined engine without noise, fed exchange by exchange, so that each step is exact.
import { describe, expect, it } from 'vitest';
import { Calibration, type CalibrationAnswer, type MeasuredExchange } from '../../../src/evidence/calibration.ts';

const MS = 1_000_000;
/** Sizes in turn, so that every test meets each of them often. */
const SIZES = [100, 200, 400, 800, 1_600, 130, 260, 520, 1_040];

class Engine {
  readonly calibration = new Calibration();
  speed = 1;
  #turn = 0;

  prefillNs(tokens: number): number {
    return (5 * MS + 20_000 * tokens) / this.speed;
  }

  /** Judges an exchange; what is not given is of an idle engine and the next size. */
  exchange({ waitNs = 0, ...changes }: Partial<MeasuredExchange> & { waitNs?: number } = {}): CalibrationAnswer {
    this.#turn += 1;
    const tokens = changes.tokens ?? SIZES[this.#turn % SIZES.length] ?? 1;
    const tookNs = Math.round(this.prefillNs(tokens) + waitNs);
    this.calibration.see();
    return this.calibration.judge({ tokens, tookNs, metIdle: waitNs === 0, neighbours: [], ...changes });
  }

  states(count: number, changes: Parameters<Engine['exchange']>[0] = {}): string[] {
    return Array.from({ length: count }, () => this.exchange(changes).state);
  }

  /** One that has learnt. */
  static taught(idleCount = 60): Engine {
    const engine = new Engine();
    engine.states(idleCount);
    return engine;
  }
}

function times(count: number, state: string): string[] {
  return Array.from({ length: count }, () => state);
}

describe('a front end that nothing tells of', () => {
  it('forbids an estimate of a prefill of which it could be more than a tenth, and widens the others', () => {
    const engine = Engine.taught();
    const [long, longer] = [engine.prefillNs(300) / 10 - 1_000, engine.prefillNs(300) / 10 + 200_000];
    const seen = engine.exchange({ tokens: 300 });
    const allowed = engine.exchange({ tokens: 300, unseenNs: long });
    expect(engine.exchange({ tokens: 300, unseenNs: longer })).toEqual({ state: 'unsteady' });
    expect((allowed.estimate?.errorNs ?? 0) - (seen.estimate?.errorNs ?? 0)).toBeGreaterThanOrEqual(long * 0.9);
  });
});

describe('learning', () => {
  it('takes thirty exchanges, then estimates', () => {
    expect(new Engine().states(33, { tokens: 300 })).toEqual([...times(30, 'learning'), ...times(3, 'estimated')]);
  });

  it('takes twelve that met an idle engine, however many there are', () => {
    const engine = new Engine();
    expect(engine.states(40, { waitNs: 30 * MS })).toEqual(times(40, 'learning'));
    expect(engine.states(12, { tokens: 300 })).toEqual(times(12, 'learning'));
    expect(engine.exchange({ tokens: 300 }).state).toBe('estimated');
  });

  it('says so when the engine is never idle', () => {
    const states = new Engine().states(300, { waitNs: 30 * MS });
    expect(states.slice(0, 200)).toEqual(times(200, 'learning'));
    expect(states.slice(200)).toEqual(times(100, 'never_idle'));
  });

  it('counts exchanges of unknown size as seen', () => {
    const engine = new Engine();
    for (let count = 0; count < 18; count += 1) engine.calibration.see();
    expect(engine.states(13, { tokens: 300 })).toEqual([...times(12, 'learning'), 'estimated']);
  });
});

describe('an estimate', () => {
  it('is all prefill for an exchange that met an idle engine', () => {
    const engine = Engine.taught();
    const { estimate } = engine.exchange({ tokens: 520 });
    expect(estimate).toMatchObject({ prefillNs: engine.prefillNs(520), queueNs: 0 });
  });

  it.each([120, 500, 1_500])('divides the time of one of %i tokens that had to wait', (tokens) => {
    const engine = Engine.taught();
    const { estimate } = engine.exchange({ tokens, waitNs: 700 * MS });
    expect(Math.abs((estimate?.prefillNs ?? 0) / engine.prefillNs(tokens) - 1)).toBeLessThan(0.01);
    expect((estimate?.queueNs ?? 0) + (estimate?.prefillNs ?? 0)).toBe(engine.prefillNs(tokens) + 700 * MS);
    expect(estimate?.errorNs).toBeLessThanOrEqual(0.01 * engine.prefillNs(tokens));
  });

  it('is never longer than the time it divides', () => {
    const engine = Engine.taught();
    const tookNs = Math.round(engine.prefillNs(520) * 0.99);
    expect(engine.exchange({ tokens: 520, tookNs, metIdle: false }).estimate).toMatchObject({
      prefillNs: tookNs,
      queueNs: 0,
    });
  });

  it('is not made for sizes that nobody has seen alone', () => {
    const engine = Engine.taught();
    for (const tokens of [10, 6_000, 100_000])
      expect(engine.exchange({ tokens, waitNs: MS }).state).toBe('out_of_range');
    expect(engine.exchange({ tokens: 1_700, waitNs: MS }).state).toBe('estimated');
  });

  it('leaves out a queue that its own error hides', () => {
    const engine = new Engine();
    // Prompts of 10,000 tokens, off by up to a tenth in turn: 20 ms or a seventh of 50 ms cannot be told.
    for (let nth = 0; nth < 80; nth += 1) {
      const tookNs = Math.round(engine.prefillNs(10_000 + 10 * nth) * (0.9 + 0.02 * ((nth * 7) % 11)));
      engine.exchange({ tokens: 10_000 + 10 * nth, tookNs, metIdle: true });
    }
    const short = engine.exchange({ tokens: 10_400, waitNs: 50 * MS });
    const long = engine.exchange({ tokens: 10_400, waitNs: 500 * MS });
    expect([short.state, long.state]).toEqual(['estimated', 'estimated']);
    expect(short.estimate?.prefillNs).toBeGreaterThan(0);
    expect(short.estimate?.queueNs).toBeUndefined();
    expect(long.estimate?.queueNs).toBeGreaterThan(400 * MS);
  });

  it('is not made where prompts of a size take any time', () => {
    const engine = new Engine();
    const unsteady = Array.from({ length: 60 }, (_, nth) => {
      const tokens = SIZES[nth % SIZES.length] ?? 1;
      const tookNs = Math.round(engine.prefillNs(tokens) * (0.6 + 0.08 * ((nth * 7) % 11)));
      return engine.exchange({ tokens, tookNs, metIdle: true }).state;
    });
    expect(unsteady).not.toContain('estimated');
    expect(engine.exchange({ waitNs: 400 * MS }).state).not.toBe('estimated');
  });
});

describe('prompts computed together', () => {
  const exchange = (tokenAfterNs: number, tokens?: number) =>
    Engine.taught().exchange({ tokens: 500, waitNs: 100 * MS, neighbours: [{ tokenAfterNs, tokens }] }).state;

  // 500 tokens take 15 ms.
  it.each([
    [-22 * MS, undefined, 'estimated'],
    [-20 * MS, undefined, 'contended'],
    [0, undefined, 'contended'],
    [14 * MS, undefined, 'contended'],
    [16 * MS, undefined, 'estimated'],
    [16 * MS, 1_600, 'contended'],
    [38 * MS, 1_600, 'estimated'],
  ])('another token %i ns after its own, of a prompt of %s tokens: %s', (tokenAfterNs, tokens, state) => {
    expect(exchange(tokenAfterNs, tokens)).toBe(state);
  });
});

describe('an engine whose speed has changed', () => {
  it.each([0.5, 0.75, 1.5, 3])('is noticed by the first idle exchange and learnt anew: × %d', (speed) => {
    const engine = Engine.taught();
    engine.speed = speed;
    const states = engine.states(60);
    expect(states.slice(0, 3)).toEqual(times(3, 'suspect'));
    expect(states.slice(3, 20)).toEqual(times(17, 'relearning'));
    expect(states.at(-1)).toBe('estimated');
    // Not before thirty exchanges were seen again.
    expect(states.indexOf('estimated')).toBeGreaterThanOrEqual(33);
    const { estimate } = engine.exchange({ tokens: 800, waitNs: 300 * MS });
    expect(Math.abs((estimate?.prefillNs ?? 0) / engine.prefillNs(800) - 1)).toBeLessThan(0.01);
  });

  it('is noticed by busy exchanges too when it is faster', () => {
    const engine = Engine.taught();
    engine.speed = 2;
    expect(engine.exchange({ tokens: 800, metIdle: false }).state).toBe('suspect');
    expect(engine.states(3, { tokens: 800, metIdle: false })).toContain('relearning');
  });

  it('is not suspected for long because of one that was slow for reasons of its own', () => {
    const engine = Engine.taught();
    expect(engine.exchange({ tookNs: 900 * MS, tokens: 200, metIdle: true }).state).toBe('suspect');
    expect(engine.exchange({ waitNs: 100 * MS }).state).toBe('suspect');
    expect(engine.exchange().state).toBe('estimated');
    expect(engine.exchange({ waitNs: 100 * MS }).state).toBe('estimated');
  });

  it('cannot be told from a queue when nothing has come near the least time for long', () => {
    const engine = Engine.taught();
    const states = engine.states(200, { waitNs: 400 * MS });
    expect(states[0]).toBe('estimated');
    expect(states.at(-1)).toBe('unconfirmed');
    expect(engine.exchange().state).toBe('estimated');
    expect(engine.exchange({ waitNs: 400 * MS }).state).toBe('estimated');
  });
});

describe('an engine that was started anew', () => {
  it('is learnt anew', () => {
    const engine = Engine.taught();
    engine.calibration.forget();
    expect(engine.states(31)).toEqual([...times(30, 'relearning'), 'estimated']);
  });

  it('is trusted again once an idle exchange agrees, when it only may have been', () => {
    const engine = Engine.taught();
    engine.calibration.doubt();
    expect(engine.exchange({ waitNs: 100 * MS }).state).toBe('suspect');
    expect(engine.exchange().state).toBe('estimated');
    expect(engine.exchange({ waitNs: 100 * MS }).state).toBe('estimated');
  });
});
