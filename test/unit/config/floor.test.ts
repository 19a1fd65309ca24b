// Goal: a route's floor comes from its own keys, else from the single ones, whichever way they are given; a name that
// nobody knows, or half of a pair, stops the start with a sentence that says where.
// Method: the loader with literal flags, variables and one in-memory file.
import { describe, expect, test } from 'vitest';
import { loadConfig, type LoadInput, type Loaded } from '../../../src/config/load.ts';
import type { FloorPlace } from '../../../src/record/floor-facts.ts';

const PAIR = { 'engine-model': 'llama-3.1-8b', 'engine-hardware': 'h100-sxm' };

function load(input: Partial<LoadInput>, yaml = ''): Loaded {
  const surroundings = { env: {}, execArgv: [], platform: 'linux', checks: [], readFile: () => yaml };
  const flags = { upstream: 'http://127.0.0.1:8000', ...(yaml !== '' && { config: 'r.yaml' }), ...input.flags };
  return loadConfig({ ...surroundings, ...input, flags });
}

/** By route. */
function places(loaded: Loaded): Record<string, FloorPlace | undefined> {
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  return Object.fromEntries(loaded.config.routes.map(({ name, floor }) => [name, floor]));
}

function faults(loaded: Loaded): readonly string[] {
  return 'faults' in loaded ? loaded.faults : [];
}

test('nothing is said, so there is none', () => {
  expect(places(load({}))).toEqual({ default: undefined });
});

describe('the single keys', () => {
  test('are flags and variables', () => {
    const env = { RUBATO_ENGINE_TP: '2', RUBATO_ENGINE_KV_DTYPE: 'fp8', RUBATO_ENGINE_WEIGHTS_DTYPE: 'int4' };
    expect(places(load({ flags: PAIR, env }))['default']).toMatchObject({
      model: { name: 'llama-3.1-8b', layerCount: 32 },
      hardware: { name: 'h100-sxm', bytesPerSecond: 3.35e12 },
      tensorParallelCount: 2,
      weightsFormat: 'int4',
      kvFormat: 'fp8',
    });
  });

  test('have defaults beside the pair', () => {
    expect(places(load({ flags: PAIR }))['default']).toMatchObject({
      tensorParallelCount: 1,
      weightsFormat: undefined,
      kvFormat: 'bf16',
    });
  });
});

describe('routes', () => {
  test('have their own, and else what holds for all', () => {
    const yaml = `
engine-model: llama-3.1-8b
engine-hardware: h100-sxm
engine-weights-dtype: fp8
routes:
  - { name: alike, prefix: /a, upstream: "http://127.0.0.1:8001" }
  - { name: split, prefix: /b, upstream: "http://127.0.0.1:8002", engine_tp: 4 }
  - { name: third, prefix: /c, upstream: "http://127.0.0.1:8003", engine_model: mine, engine_kv_dtype: fp8 }
floor:
  models:
    - { name: mine, parameters: 1e9, layers: 10, kv_heads: 4, head_dim: 64, experts: { count: 8, chosen: 2, parameters: 9e8, dtype: mxfp4 }, sliding: { layers: 5, tokens: 128 }, latent: 96 }
`;
    const found = places(load({}, yaml));
    expect(found['alike']).toEqual(found['default']);
    expect(found['split']).toMatchObject({ tensorParallelCount: 4, weightsFormat: 'fp8' });
    // The weights' format was said of another model.
    expect(found['third']).toMatchObject({
      model: {
        hiddenSize: 256,
        headCount: 4,
        format: 'bf16',
        experts: { count: 8, chosenCount: 2, format: 'mxfp4' },
        sliding: { layerCount: 5, tokenCount: 128 },
        latentSize: 96,
      },
      weightsFormat: undefined,
      kvFormat: 'fp8',
    });
  });

  test('can have one where nothing holds for all', () => {
    const yaml = `
routes:
  - { name: one, prefix: /a, upstream: "http://127.0.0.1:8001", engine_model: qwen3-8b, engine_hardware: l4 }
`;
    const found = places(load({}, yaml));
    expect([found['one']?.hardware.name, found['default']]).toEqual(['l4', undefined]);
  });
});

describe('faults', () => {
  test('half of a pair, and what belongs to one', () => {
    expect(faults(load({ flags: { 'engine-model': 'llama-3.1-8b' } }))).toEqual([
      '--engine-model needs --engine-hardware beside it: a floor is of a model on an accelerator.',
    ]);
    expect(faults(load({ flags: { 'engine-tp': '2' } }))).toEqual([
      '--engine-model and --engine-hardware are needed with the keys beside them.',
    ]);
  });

  test('names that nobody knows get a guess, at a route too', () => {
    const yaml = `
routes:
  - { name: one, prefix: /a, upstream: "http://127.0.0.1:8001", engine_model: qwen3-9b, engine_hardware: l4 }
`;
    expect(faults(load({ flags: { ...PAIR, 'engine-model': 'llama-3.1-9b' } }, yaml))).toEqual([
      expect.stringMatching(
        /^r\.yaml: routes\[0\]\.engine_model: "qwen3-9b" is not known\. Did you mean "qwen3-\db"\?/,
      ),
      expect.stringMatching(/^--engine-model: "llama-3\.1-9b" is not known\. Did you mean "llama-3\.1-8b"\?/),
    ]);
  });

  test('entries that are wrong', () => {
    const yaml = `
floor:
  models: [{ name: m, layers: 1.5 }, { name: n, experts: { count: 2, chosen: 3, parameters: 5 } }]
  hardware: [{ name: h, tflops: -1 }]
`;
    expect(faults(load({}, yaml))).toEqual([
      'r.yaml: floor.models[0].layers: expected a whole number.',
      'r.yaml: floor.models[1].experts: expected no more experts to be chosen than there are.',
      'r.yaml: floor.hardware[0].tflops: expected a number above 0.',
    ]);
  });

  test('layers cannot be split over accelerators without a link', () => {
    const yaml = 'floor: { hardware: [{ name: h, memory_gb: 80, gb_per_second: 1000, tflops: 100 }] }';
    const flags = { 'engine-model': 'llama-3.1-8b', 'engine-hardware': 'h' };
    expect(places(load({ flags }, yaml))['default']?.hardware.name).toBe('h');
    expect(faults(load({ flags: { ...flags, 'engine-tp': '2' } }, yaml))).toEqual([
      '--engine-hardware: of "h" no link is known, so layers cannot be split over several.',
    ]);
  });
});

test.each([
  ['experts: { count: 8, chosen: 2, parameters: 9e9 }', 'has more parameters in its experts than in all'],
  ['sliding: { layers: 33, tokens: 128 }', 'has more layers with a sliding window than layers'],
  ['heads: 4', 'has more KV heads than heads'],
])(
  'a model of which a part is larger than the whole is told, for its step would be shorter than none: %s',
  (part, what) => {
    const yaml = `
engine-model: mine
engine-hardware: h100-sxm
floor: { models: [{ name: mine, parameters: 8e9, layers: 32, kv_heads: 8, head_dim: 128, ${part} }] }
`;
    expect(faults(load({}, yaml))).toEqual([`--engine-model: "mine" ${what}.`]);
  },
);
