// Measures every recipe with raw sockets on both sides and writes what was seen to results.json and, as a
// table, to README.md of this folder. Names on the command line limit it to recipes that begin with them.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { loadHops, recipeFolder, type HopChoice } from '../../src/client/hops/load.ts';
import { HopMissing, hopVersion, startHop } from '../../src/client/hops/start.ts';
import { HOPS_ENV, sayNotTested } from './installed.ts';
import { figuresOf, type HoldFigures } from './truth/figures.ts';
import { RHYTHMS } from './truth/rhythms.ts';
import { runAbort, runStream } from './truth/run-stream.ts';
import { productTable, tableOf } from './truth/table.ts';
import { TruthEngine } from './truth/truth-engine.ts';
import { writeBetweenMarks } from './write-between-marks.ts';

const RESULTS = join(import.meta.dirname, 'results.json');
const README = join(import.meta.dirname, 'README.md');

export interface HopResult {
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly word: string;
  readonly way?: string;
  /** By name of the rhythm. */
  readonly rhythms: Readonly<Record<string, HoldFigures>>;
  /** Absent when the engine was not told within eight seconds, or only when the answer was over. */
  readonly abortMs?: number;
  readonly headChanges: readonly string[];
  /** Of the last minute, when it was measured: figures of a busy machine are upper bounds. */
  readonly load: number;
}

async function measure(engine: TruthEngine, hop: HopChoice): Promise<HopResult> {
  const version = await hopVersion(hop, HOPS_ENV);
  const running = await startHop(hop, { upstreamPort: engine.port, env: HOPS_ENV });
  try {
    const target = { port: running.port, request: running.request, engineHeaders: hop.variant.engineHeaders };
    // The first request pays for what a gateway does only once.
    await runStream(engine, target, {
      name: 'steady',
      title: '',
      writes: RHYTHMS[0]?.writes.slice(-3).map(({ events }) => ({ atMs: 0, events })) ?? [],
    });
    const rhythms: Record<string, HoldFigures> = {};
    let headChanges: readonly string[] = [];
    for (const rhythm of RHYTHMS) {
      const truth = await runStream(engine, target, rhythm);
      if (!truth.textIsSame) throw new Error(`${hop.name} altered the text`);
      rhythms[rhythm.name] = figuresOf(truth);
      ({ headChanges } = truth);
    }
    const abortNs = RHYTHMS[0] === undefined ? undefined : await runAbort(engine, target, RHYTHMS[0]);
    const { title, word, way } = hop.variant;
    return {
      name: hop.name,
      version,
      title,
      word,
      ...(way === undefined ? {} : { way }),
      rhythms,
      ...(abortNs === undefined ? {} : { abortMs: Math.round(abortNs / 1e4) / 100 }),
      headChanges,
      load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    };
  } finally {
    await running.stop();
  }
}

function earlier(): HopResult[] {
  try {
    return JSON.parse(readFileSync(RESULTS, 'utf8')) as HopResult[];
  } catch {
    return []; // The first run.
  }
}

function write(results: readonly HopResult[]): void {
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  writeBetweenMarks(README, tableOf(results));
  const hops = loadHops();
  const cures = new Map(
    hops.flatMap(({ name, variant }) => (variant.cure === undefined ? [] : [[name, variant.cure]])),
  );
  for (const product of new Set(hops.map(({ recipe }) => recipe.product))) {
    const own = results.filter(({ name }) => name.startsWith(`${product}/`));
    if (own.length > 0) writeBetweenMarks(join(recipeFolder(product), 'README.md'), productTable(own, cures));
  }
}

const wanted = process.argv.slice(2);
const engine = await TruthEngine.start();
const results = new Map(earlier().map((result) => [result.name, result]));
for (const hop of loadHops()) {
  if (wanted.length > 0 && !wanted.some((prefix) => hop.name.startsWith(prefix))) continue;
  try {
    const result = await measure(engine, hop);
    results.set(hop.name, result);
    process.stdout.write(`${hop.name} ${JSON.stringify(result.rhythms)} abort ${result.abortMs} load ${result.load}\n`);
  } catch (error) {
    if (error instanceof HopMissing) sayNotTested(hop.name, error.message);
    else process.stdout.write(`${hop.name} FAILED: ${(error as Error).message}\n`);
  }
}
await engine.stop();
const order = loadHops().map(({ name }) => name);
write(order.flatMap((name) => results.get(name) ?? []));
