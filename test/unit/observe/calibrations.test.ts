// Goal: exchanges reach the calibration of their model with the right size, time and company, and what it
// answers stands in the record as evidence; prompt tokens are estimated before usage. Method: exchanges played
// as a relay would tell them, one second apart, of an engine that takes 5 ms and 0.1 ms a token.
import { describe, expect, it, vi } from 'vitest';
import { CALIBRATED_MODELS_MAX_COUNT } from '../../../src/base/limits.ts';
import { Calibrations } from '../../../src/observe/calibrations.ts';
import { createStage, OPENED_AT_NS } from './tape-play.ts';

const MS = 1_000_000;
const SECOND_NS = 1_000 * MS;
/** Requests are sent at 1 ms, so the engine's front end takes 1 ms. */
const HEAD_AT_MS = 2;

interface Asked {
  readonly tokens?: number;
  readonly cached?: number | undefined;
  readonly waitMs?: number;
  readonly text?: string;
  readonly model?: string;
  readonly openedAtNs?: number;
  readonly version?: string;
}

class Scene {
  readonly calibrations: Calibrations;
  readonly stage: ReturnType<typeof createStage>;
  speed = 1;
  #count = 0;

  constructor(
    options?: ConstructorParameters<typeof Calibrations>[0],
    observing: Parameters<typeof createStage>[0] = {},
  ) {
    this.calibrations = new Calibrations(options);
    this.stage = createStage({ estimator: this.calibrations, ...observing });
  }

  /** Begins an exchange and gives back how to end it. Its text is 4 bytes a token and like no other. */
  begin({ tokens = 100, cached, waitMs = 0, text, model = 'm', openedAtNs, version }: Asked = {}): () => void {
    this.#count += 1;
    const nth = this.#count;
    const content = text ?? `${nth} `.padEnd(4 * tokens - 'user'.length, `${nth * 7_919} `);
    const firstAtMs = HEAD_AT_MS + (5 + 0.1 * (tokens - (cached ?? 0))) / this.speed + waitMs;
    const chunk = (fields: object): string => `data: ${JSON.stringify({ id: 'c', choices: [], ...fields })}\n\n`;
    const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } };
    const play = this.stage
      .exchange(nth, { openedAtNs: openedAtNs ?? OPENED_AT_NS + nth * SECOND_NS })
      .request({ model, stream: true, messages: [{ role: 'user', content }] })
      .mark('requestSent', 1)
      .head(
        HEAD_AT_MS,
        version === undefined ? {} : { fields: ['content-type', 'text/event-stream', 'server', version] },
      )
      .chunk(firstAtMs, chunk({ choices: [{ index: 0, delta: { content: 'x' } }] }));
    return () => {
      const usage = { prompt_tokens: tokens, completion_tokens: 1, ...details };
      const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      play.chunk(firstAtMs + 1, `${finish}${chunk({ usage })}data: [DONE]\n\n`).end(firstAtMs + 2);
    };
  }

  exchange(asked?: Asked): void {
    this.begin(asked)();
  }

  /** Enough idle exchanges of sizes about 100 to know it well. */
  teach(count = 40): this {
    for (let nth = 0; nth < count; nth += 1) this.exchange({ tokens: 80 + (nth % 40) });
    return this;
  }

  get report() {
    const report = this.stage.sink.reports.at(-1);
    if (report === undefined) throw new Error('nothing was reported');
    return report;
  }
}

describe('evidence', () => {
  it('stands in the record, and parts sum to the window', () => {
    const scene = new Scene().teach();
    const ends = [scene.begin({ tokens: 100, openedAtNs: OPENED_AT_NS + 500 * SECOND_NS })];
    // It meets one that is already streaming, and waits for 200 ms.
    ends.push(scene.begin({ tokens: 100, waitMs: 200, openedAtNs: OPENED_AT_NS + 501 * SECOND_NS }));
    for (const end of ends) end();
    const { record, figures } = scene.report;
    const [evidence] = record.evidence;
    expect(evidence).toMatchObject({ source: 'calibration', basis: 'model' });
    expect(evidence?.definition).toContain('waiting and contention together');
    expect(Math.abs((evidence?.prefillNs ?? 0) - 15 * MS)).toBeLessThan(0.2 * MS);
    expect((evidence?.queueNs ?? 0) + (evidence?.prefillNs ?? 0)).toBe(215 * MS);
    expect(evidence?.errorNs).toBeGreaterThanOrEqual(0);
    expect(figures.split).toMatchObject({ basis: 'model', otherNs: MS });
  });

  it('is given for cached prompts by what had to be computed', () => {
    const scene = new Scene().teach();
    scene.exchange({ tokens: 1_000, cached: 900 });
    expect(scene.report.record.evidence).toMatchObject([{ prefillNs: 15 * MS, queueNs: 0 }]);
  });

  it('is withheld where a prompt begins like an earlier one and nothing is said of a cache', () => {
    const scene = new Scene().teach();
    const text = 'once upon a time '.repeat(23);
    scene.exchange({ tokens: 100, text });
    expect(scene.report.record.evidence).toHaveLength(1);
    scene.exchange({ tokens: 100, text });
    expect(scene.report.record.evidence).toEqual([]);
    scene.exchange({ tokens: 100, text, cached: 0 });
    expect(scene.report.record.evidence).toHaveLength(1);
    expect(scene.calibrations.counts).toMatchObject({ cache_unknown: 1, learning: 30 });
  });

  it('knows a beginning from the first token on, not only from the end', () => {
    const scene = new Scene().teach();
    const text = 'once upon a time '.repeat(23);
    const openedAtNs = OPENED_AT_NS + 500 * SECOND_NS;
    const end = scene.begin({ tokens: 100, text, openedAtNs });
    scene.exchange({ tokens: 100, text, openedAtNs: openedAtNs + SECOND_NS });
    expect(scene.calibrations.counts.cache_unknown).toBe(1);
    end();
    expect(scene.calibrations.counts.cache_unknown).toBe(1);
  });

  it('is withheld where another prompt was computed at the same time', () => {
    const scene = new Scene().teach();
    const openedAtNs = OPENED_AT_NS + 500 * SECOND_NS;
    const ends = [scene.begin({ openedAtNs }), scene.begin({ openedAtNs: openedAtNs + 3 * MS, waitMs: 1 })];
    for (const end of ends) end();
    expect(scene.report.record.evidence).toEqual([]);
    expect(scene.calibrations.counts.contended).toBe(2);
  });

  it('is kept apart by model, for so many models', () => {
    const scene = new Scene().teach();
    scene.exchange({ model: 'other' });
    expect(scene.report.record.evidence).toEqual([]);
    scene.exchange();
    expect(scene.report.record.evidence).toHaveLength(1);
    for (let nth = 0; nth < CALIBRATED_MODELS_MAX_COUNT; nth += 1) scene.exchange({ model: `m${nth}` });
    scene.exchange();
    expect(scene.report.record.evidence).toEqual([]);
  });

  it('is withheld after the engine broke off an answer, and forgotten when nobody listened', () => {
    const scene = new Scene().teach();
    scene.stage.exchange(900).request({ model: 'm' }).end(5, { wireEnd: 'upstream_aborted' });
    scene.exchange({ tokens: 99 });
    expect(scene.report.record.evidence).toHaveLength(1);
    scene.stage.exchange(901).request({ model: 'm' }).end(5, { wireEnd: 'connect_error' });
    scene.exchange({ tokens: 99 });
    expect(scene.report.record.evidence).toEqual([]);
    expect(scene.calibrations.counts.relearning).toBe(1);
  });
});

describe('strangers', () => {
  it.each([
    [1, 100, 1],
    [2, 100, 0],
    // Two ended within the last two seconds, so they may be the ones.
    [3, 2_000, 1],
    [4, 2_000, 0],
    [9, 20_000, 1],
  ])('%i running as of %i ms ago leave %i estimates', (count, ageMs, estimates) => {
    const looks: { count: number; ageMs: number }[] = [];
    const scene = new Scene({ running: () => looks[0] }).teach();
    looks.push({ count, ageMs });
    scene.exchange({ tokens: 99 });
    expect(scene.report.record.evidence).toHaveLength(estimates);
    expect(scene.calibrations.counts.strangers).toBe(1 - estimates);
  });

  it('are not exchanges of ours that have ended and still wait for their evidence', async () => {
    let holds = false;
    const looks: { count: number; ageMs: number }[] = [];
    const late = { name: 'late', evidenceFor: () => [], awaits: () => holds };
    const scene = new Scene({ running: () => looks[0] }, { lateSources: [late], evidenceWaitMs: 1e9 }).teach();
    holds = true;
    scene.exchange({ tokens: 99 });
    // The look saw that one and this one, and that one has ended since.
    looks.push({ count: 2, ageMs: 1_100 });
    scene.exchange({ tokens: 99 });
    holds = false;
    await vi.waitFor(() => expect(scene.stage.sink.reports).toHaveLength(42));
    expect(scene.calibrations.counts.strangers).toBe(0);
  });
});

describe('prompt tokens', () => {
  it('are estimated by the first token once five prompts were counted', () => {
    const scene = new Scene();
    for (let nth = 0; nth < 5; nth += 1) scene.exchange({ tokens: 300 });
    expect(scene.report.labels.promptBucket).toBe('unknown');
    expect(scene.report.record.request.promptTokensEstimate).toBeUndefined();
    scene.exchange({ tokens: 300 });
    expect(scene.report.record.request).toMatchObject({ promptBytes: 1_200, promptTokensEstimate: 300 });
    expect(scene.report.labels.promptBucket).toBe('256-1k');
  });

  it('are not estimated for another model or another size', () => {
    const scene = new Scene();
    for (let nth = 0; nth < 5; nth += 1) scene.exchange({ tokens: 300 });
    scene.exchange({ tokens: 300, model: 'other' });
    expect(scene.report.record.request.promptTokensEstimate).toBeUndefined();
    scene.exchange({ tokens: 3_000 });
    expect(scene.report.record.request.promptTokensEstimate).toBeUndefined();
  });
});

describe('an engine that its metrics show to have begun anew', () => {
  it('is learnt from the start', () => {
    let startCount = 3;
    const scene = new Scene({ startCount: () => startCount }).teach();
    scene.exchange();
    expect(scene.report.record.evidence).toHaveLength(1);
    startCount += 1;
    scene.exchange();
    expect(scene.report.record.evidence).toEqual([]);
    scene.teach();
    scene.exchange();
    expect(scene.report.record.evidence).toHaveLength(1);
  });
});
