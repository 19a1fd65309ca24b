// Goal: each recipe does to a stream what it says, by raw sockets on both sides of the real product and without
// any of our own code between. Method: an engine that stamps each write, a client that stamps each read, three
// rhythms; all bounds have one side only. Products that are not installed are named aloud.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadHops, type HopChoice } from '../../src/client/hops/load.ts';
import { hopVersion, startHop, type RunningHop } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { figuresOf } from './truth/figures.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { runStream } from './truth/run-stream.ts';
import { TruthEngine } from './truth/truth-engine.ts';

/** More than half of what a hop that passes does to a token on a machine that is busy with other things. */
const PASSES_P50_MAX_MS = 15;
/** The first text comes 300 ms after the head. */
const PASSES_HEAD_MAX_MS = 200;
/** What a hop that holds does to some token at least; the rhythms have 20 and 40 ms between writes. */
const HOLDS_MAX_LEAST_MS = 60;

const there = new Map<string, string>();
for (const hop of loadHops()) {
  if (there.has(hop.recipe.product)) continue;
  try {
    there.set(hop.recipe.product, await hopVersion(hop, HOPS_ENV));
  } catch (error) {
    sayNotTested(hop.recipe.title, (error as Error).message);
    there.set(hop.recipe.product, '');
  }
}

const HOPS = loadHops();
const INSTALLED = HOPS.filter(({ recipe }) => there.get(recipe.product) !== '');

test('at least one product is here, beside the hand-written gateway', () => {
  expect(new Set(INSTALLED.map(({ recipe }) => recipe.product)).size).toBeGreaterThan(0);
});

describe.each(INSTALLED)('$name', (hop: HopChoice) => {
  let engine: TruthEngine;
  let running: RunningHop;

  beforeAll(async () => {
    engine = await TruthEngine.start();
    running = await startHop(hop, { upstreamPort: engine.port, env: HOPS_ENV });
  });

  afterAll(async () => {
    await running?.stop();
    await engine.stop();
  });

  test.each(RHYTHMS)(`${hop.variant.word} $title`, async (rhythm) => {
    const { port, request } = running;
    const truth = await runStream(engine, { port, request, engineHeaders: hop.variant.engineHeaders }, rhythm);
    const figures = figuresOf(truth);
    expect(truth.textIsSame).toBe(true);
    const { word, way } = hop.variant;
    if (word === 'passes') {
      expect(figures.holdP50Ms).toBeLessThan(PASSES_P50_MAX_MS);
      expect(figures.headHoldMs).toBeLessThan(PASSES_HEAD_MAX_MS);
    }
    const heldMs = way === 'head' ? figures.headHoldMs : figures.holdMaxMs;
    if (word === 'holds') expect(heldMs).toBeGreaterThan(HOLDS_MAX_LEAST_MS);
  });
});
