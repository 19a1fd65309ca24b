// Goal: `rubato floor` prints the figures and verdicts of a plan, teaches, and lists all that is wrong with one.
// Method: whole command lines in this process; figures to the digits that are promised, sentences by their parts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from './fake-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-floor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PAIR = ['--model', 'llama-3.1-8b', '--hardware', 'h100-sxm'];
const RATES = ['--bandwidth-efficiency', '0.8', '--mfu', '0.6', '--overlap', 'additive'];
const BUSY = ['--batch', '64', '--context', '2048'];

interface Printed {
  readonly [name: string]: unknown;
  readonly verdicts: readonly { readonly verdict: string; readonly ok: boolean }[];
}

async function json(...args: readonly string[]): Promise<Printed> {
  const { exitCode, out, err } = await runCli(['floor', ...args, '--json']);
  expect([exitCode, err]).toEqual([0, '']);
  return JSON.parse(out) as Printed;
}

async function page(...args: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await runCli(['floor', ...args]);
  expect([exitCode, err]).toEqual([0, '']);
  return out;
}

async function faults(...args: readonly string[]): Promise<string[]> {
  const { exitCode, out, err } = await runCli(['floor', ...args]);
  expect([exitCode, out]).toEqual([64, '']);
  return err
    .split('\n')
    .filter((line) => line.startsWith('  - '))
    .map((line) => line.slice(4));
}

function yaml(text: string): string {
  const path = join(folder, 'floor.yaml');
  writeFileSync(path, text);
  return path;
}

function rounded(value: unknown, digits: number): number {
  return Math.round((value as number) * 10 ** digits) / 10 ** digits;
}

describe('as JSON', () => {
  test('without a chunk: the additive step of the known plan', async () => {
    const printed = await json(...PAIR, ...BUSY, ...RATES);
    expect(printed).toMatchObject({ mode: 'additive', tokens_per_pass: 1, chunk_ms: 0, kv_bytes_per_token: 131_072 });
    expect(rounded(printed['step_ms'], 1)).toBe(12.4);
    expect(rounded(printed['ridge_flop_per_byte'], 0)).toBe(295);
    expect(rounded((printed['weights_bytes'] as number) / 1e9, 2)).toBe(16.06);
    const parts = (printed['weights_ms'] as number) + (printed['kv_ms'] as number);
    expect(rounded(parts, 3)).toBe(rounded(printed['step_ms'], 3));
  });

  test('with a chunk: what it adds, and the step with it', async () => {
    const printed = await json(...PAIR, ...BUSY, ...RATES, '--chunk', '512');
    expect(rounded(printed['step_ms'], 1)).toBe(26.3);
    expect(rounded(printed['chunk_ms'], 1)).toBe(13.9);
    expect(printed.verdicts.map(({ verdict }) => verdict)).toEqual(['memory_fits', 'above_ridge']);
  });

  test('holds objectives, prompt, cliff, speculation and a measured step where they are asked for', async () => {
    const asked = ['--gap-ms', '30', '--prompt', '4096', '--ttft-ms', '500', '--chunk', '512', '--measured-ms', '24'];
    const printed = await json(...PAIR, ...BUSY, ...asked, '--speculation', '4,0.8', '--stall-share', '0.009');
    expect(printed).toMatchObject({ prompt: { tokens: 4096, steps: 8 }, cliff: [{ stall_share: 0.009 }] });
    expect(rounded(printed['tokens_per_pass'], 2)).toBe(3.36);
    expect(printed.verdicts.map(({ verdict }) => verdict)).toEqual([
      'memory_fits',
      'gap_met',
      'ttft_met',
      'above_ridge',
      'speculation_pays',
      'p99_on_base',
      'above_floor',
    ]);
  });
});

describe('as a page', () => {
  test('every length of a step names its mode, and every verdict its name', async () => {
    const text = await page(...PAIR, ...BUSY, ...RATES, '--chunk', '2048', '--gap-ms', '30', '--prompt', '4096');
    expect(text).toContain('67.8 ms (additive)');
    expect(text).toContain('16.06 GB');
    expect(text).toContain('131,072 bytes a token');
    expect(text).toContain('295 FLOP/B');
    expect(text).toContain('2 steps of 2,048 tokens');
    expect(text).toMatch(/^✗ chunk_too_large: .*67\.8 ms \(additive\).*Reduce the chunk to /m);
  });

  test('shows both sides of the cliff when no share is asked for', async () => {
    const text = await page(...PAIR, ...BUSY, '--stall-ms', '50');
    const rows = text.split('\n').filter((line) => /^ {2}\d+\.\d+ %/.test(line));
    expect(rows.map((row) => row.trim().split(/\s+/).slice(0, 4))).toEqual([
      ['0.50', '%', '9.92', '9.92'],
      ['0.90', '%', '9.92', '9.92'],
      ['1.10', '%', '9.92', '59.9'],
      ['2.00', '%', '9.92', '59.9'],
      ['5.00', '%', '9.92', '59.9'],
    ]);
    expect(text).not.toContain('p99_on');
  });

  test('tells what several accelerators and drafts cost', async () => {
    const split = ['--model', 'llama-3.1-70b', '--hardware', 'h100-sxm', '--tp', '4', '--weights-dtype', 'fp8'];
    const text = await page(...split, '--kv-dtype', 'fp8', '--overlap', 'additive', '--speculation', '4,0.8');
    expect(text).toContain('llama-3.1-70b on h100-sxm × 4: weights fp8, KV fp8');
    expect(text).toMatch(/all-reduce +\d/);
    expect(text).toMatch(/verify drafts +\d/);
  });

  test('tells the prefill of a prompt without a chunk', async () => {
    expect(await page(...PAIR, '--prompt', '32000', '--ttft-ms', '300')).toMatch(
      /A prompt of 32,000 tokens needs \d+ ms of prefill alone \(roofline\)\.[^]*✗ ttft_impossible/,
    );
  });
});

describe('models and accelerators', () => {
  test('are listed with their sources', async () => {
    const text = await page('--list');
    expect(text).toMatch(/llama-3\.1-8b +8\.03 B +bf16 +32 × 8 × 128 +https:\/\/huggingface\.co\//);
    expect(text).toMatch(/h100-sxm +3,350 +989 +80 +1,979 +https:\/\/www\.nvidia\.com\//);
    const printed = await json('--list');
    expect(printed).toMatchObject({ models: expect.any(Array) as unknown, hardware: expect.any(Array) as unknown });
  });

  test("of one's own come from a YAML file, and can take the place of known ones", async () => {
    const file = yaml(`
upstream: http://127.0.0.1:8000
floor:
  models:
    - { name: mine, parameters: 8.03e9, layers: 32, kv_heads: 8, head_dim: 128 }
  hardware:
    - { name: slow, memory_gb: 80, gb_per_second: 1675, tflops: 989 }
    - { name: h100-sxm, gb_per_second: 1675 }
`);
    const mine = await json('--config', file, '--model', 'mine', '--hardware', 'slow');
    expect(rounded(mine['weights_ms'], 2)).toBe(9.59);
    expect(rounded((await json('--config', file, ...PAIR))['weights_ms'], 2)).toBe(9.59);
    expect(await page('--config', file, '--list')).toMatch(/mine .*as configured/);
  });

  test("of one's own come from flags, as a change of a known one or whole", async () => {
    expect(rounded((await json(...PAIR, '--gb-per-second', '1675'))['weights_ms'], 2)).toBe(9.59);
    const model = ['--parameters', '8.03e9', '--layers', '32', '--kv-heads', '8', '--head-dim', '128'];
    const card = ['--memory-gb', '80', '--gb-per-second', '3350', '--tflops', '989', '--link-gb-per-second', '450'];
    expect(await json(...model, ...card)).toMatchObject({ model: 'custom', hardware: 'custom' });
    const wide = await json(
      ...model,
      '--heads',
      '32',
      '--hidden',
      '4096',
      ...card,
      '--fp8-tflops',
      '1979',
      '--tp',
      '2',
    );
    expect(wide).toMatchObject({ tensor_parallel: 2, kv_bytes_per_token: 131_072 });
  });
});

describe('a wrong command line', () => {
  test('names the nearest there is', async () => {
    expect(await faults('--model', 'llama3.1-8b', '--hardware', 'h100')).toEqual([
      expect.stringContaining('--model: "llama3.1-8b" is not known. Did you mean "llama-3.1-8b"?'),
      expect.stringContaining('--hardware: "h100" is not known. Did you mean "h100-sxm", "h100-nvl" or "h100-pcie"?'),
    ]);
    expect(await faults('--model', 'phi', '--hardware', 'h200')).toEqual([
      expect.stringContaining('Did you mean "phi-4"?'),
      expect.stringContaining('Did you mean "h200-sxm"?'),
    ]);
  });

  test('is told whole', async () => {
    const wrong = ['--batch', '0', '--mfu', '1.5', '--overlap', 'both', '--speculation', '4', '--ttft-ms', '300'];
    expect(await faults(...PAIR, ...wrong, '--stall-share', '0.02', '--gap-ms', '-1', 'stray')).toEqual([
      '"stray" is no flag; "rubato floor" takes flags only.',
      '--mfu: "1.5" is not a share above 0 and up to 1.',
      '--overlap: "both" is not one of additive, roofline.',
      '--speculation: "4" is not TOKENS,SHARE, such as 4,0.8.',
      '--ttft-ms needs --prompt TOKENS: how long a prefill takes depends on the prompt.',
      expect.stringMatching(/^--batch: "0" is not a whole number from 1/),
      '--stall-share needs --stall-ms MS, or a --chunk whose cost is the stall.',
      '--gap-ms: "-1" is not a number above 0.',
    ]);
  });

  test('lacks what it needs', async () => {
    expect(await faults()).toEqual(['Give --model and --hardware; "rubato floor --list" shows which there are.']);
    expect(await faults('--model', 'llama-3.1-8b')).toEqual([
      '--model needs --hardware beside it: a floor is of a model on an accelerator.',
    ]);
    expect(await faults('--layers', '32', '--tflops', '100')).toEqual([
      'A model that is not in the list needs --parameters, --kv-heads, --head-dim too.',
      'An accelerator that is not in the list needs --memory-gb, --gb-per-second too.',
    ]);
    const card = ['--memory-gb', '80', '--gb-per-second', '3350', '--tflops', '989'];
    expect(await faults('--model', 'llama-3.1-8b', ...card, '--tp', '2')).toEqual([
      '--hardware: of "custom" no link is known, so layers cannot be split over several.',
    ]);
  });

  test('with a file that is wrong says where', async () => {
    const file = yaml('floor:\n  models:\n    - { name: mine, layer: 3 }\n  hardware:\n    - { name: x }\n');
    expect(await faults('--list', '--config', file)).toEqual([
      `${file}: floor.models[0].layer: there is no such key. Did you mean "layers"?`,
    ]);
    const short = yaml('floor:\n  models:\n    - { name: mine, layers: 3 }\n');
    expect(await faults(...PAIR, '--config', short)).toEqual([
      `${short}: floor.models[0]: "mine" is not well known, so it needs parameters, kv_heads, head_dim.`,
    ]);
    expect(await faults(...PAIR, '--config', join(folder, 'none.yaml'))).toEqual([
      `--config: ${join(folder, 'none.yaml')} cannot be read: ENOENT.`,
    ]);
  });
});

test('the help teaches with examples', async () => {
  const { exitCode, out } = await runCli(['floor', '--help']);
  expect(exitCode).toBe(0);
  for (const part of ['Examples:', '--list', '--overlap', 'roofline', 'additive', 'floor:'])
    expect(out).toContain(part);
});
