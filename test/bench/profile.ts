// `npm run bench -- profile`: where the time of rubato's threads goes under the load of scenario (a), as text in
// profiles/ that can be kept and compared from one change to the next. Gives no verdict.
//   --name before-one-writev    the file's name; without it the file is last.txt, which is not kept
//   --heap                      samples of live memory as well, for a flame graph of the heap
//   --perf                      native code and the kernel by perf, in a second file, where perf may be used
import { spawnSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/program.ts';
import { startRubato, type Rubato } from './harness/contender.ts';
import { LightEngine } from './harness/light-engine.ts';
import { Load } from './harness/load.ts';
import { cpuSince, cpuTimeOf, type CpuTime } from './harness/processes.ts';
import { machineText, progress } from './harness/report.ts';
import { startCollector } from './speed/collector.ts';
import { selfTimes, threadOf, type CpuProfile } from './speed/profile/cpu-profile.ts';
import { threadText, type ThreadProfile } from './speed/profile/profile-text.ts';

const PLAN = { streamCount: 100, chunkCount: 150, everyMs: 20, forMs: 10_000 };
const SAMPLE_EVERY_US = 200;
const PERF_HZ = 1_999;
const EXIT_MAX_MS = 30_000;
const PROFILES = new URL('./profiles/', import.meta.url);

const { values: options } = parseArgs({
  options: {
    name: { type: 'string', default: 'last' },
    heap: { type: 'boolean', default: false },
    perf: { type: 'boolean', default: false },
  },
});
if (!/^[\w.-]+$/.test(options.name)) throw new Error(`--name is the name of a file, not ${options.name}`);

interface Window {
  readonly fromUs: number;
  readonly toUs: number;
  readonly chunkCount: number;
  readonly cpu: CpuTime;
}

const monotonicUs = (): number => Number(process.hrtime.bigint() / 1_000n);

async function underLoad(load: Load, rubato: Rubato): Promise<Window> {
  let [fromUs, toUs] = [0, 0];
  let cpu = cpuTimeOf(rubato.pid);
  const delays = await load.paced(rubato, PLAN, (edge) => {
    if (edge === 'start') [fromUs, cpu] = [monotonicUs(), cpuTimeOf(rubato.pid)];
    else [toUs, cpu] = [monotonicUs(), cpuSince(rubato.pid, cpu)];
  });
  return { fromUs, toUs, chunkCount: delays.chunkNs.length, cpu };
}

/** Ends it gently, for only then does Node write its profiles down. */
async function endGently({ sidecar }: Rubato): Promise<void> {
  sidecar.signal('SIGTERM');
  await sidecar.untilExit(EXIT_MAX_MS);
  await sidecar.stop();
}

function threadsOf(folder: string, { fromUs, toUs, cpu }: Window): ThreadProfile[] {
  const cpuUs = { main: cpu.mainNs / 1_000, relay: cpu.relayNs / 1_000 };
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .flatMap((name) => {
      const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile;
      const thread = threadOf(profile);
      const spent = selfTimes(profile, fromUs, toUs);
      // A spare relay is booted and waits; only who worked is of interest.
      const isBusy = spent.some(({ group }) => group === `src/${thread === 'main' ? 'observe' : 'relay'}`);
      return thread === undefined || thread === 'admin' || !isBusy
        ? []
        : [{ title: `${thread} thread`, spent, cpuUs: cpuUs[thread] }];
    });
}

async function bySamples(load: Load, collectorPort: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-profile-'));
  const cpu = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${SAMPLE_EVERY_US}`];
  const heap = options.heap ? ['--heap-prof', `--heap-prof-dir=${folder}`] : [];
  const rubato = await startRubato('rubato', {
    enginePort: load.enginePort,
    collectorPort,
    nodeArgs: [...cpu, ...heap],
  });
  const window = await underLoad(load, rubato);
  await endGently(rubato);
  const text = [
    `${machineText()}; 100 streams × 50 chunks/s, everything on, ${window.chunkCount} chunks.`,
    'Samples make all of it dearer, and are by the wall, so that they hold what neighbours took: shares tell, not sums.',
    '',
    ...threadsOf(folder, window).map((thread) => threadText(thread, window.chunkCount)),
  ].join('\n');
  writeFileSync(new URL(`${options.name}.txt`, PROFILES), text);
  process.stdout.write(text);
  progress(`raw profiles for flame graphs (Chrome's DevTools, speedscope): ${folder}`);
}

/** What perf saw, by these keys, largest first; empty when it may not look. */
function perfTable(data: string, keys: string): string {
  const args = ['report', '-i', data, '--stdio', '--sort', keys, '--percent-limit', '0.4', '--no-children'];
  const { stdout, status } = spawnSync('perf', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) return '';
  const lines = stdout.split('\n').filter((line) => /^ +\d/.test(line));
  // perf fills lines up to the longest name of all; its last two columns say nothing here, nor does where this lies.
  return `== by ${keys}\n\n${lines
    .map((line) =>
      line
        .replace(/[ -]+$/, '')
        .replace(`file://${ROOT}`, '')
        .slice(0, 160),
    )
    .join('\n')}\n`;
}

async function byPerf(load: Load, collectorPort: number): Promise<void> {
  if (spawnSync('perf', ['--version']).status !== 0) return progress('!!!!!!!! NOT MEASURED: there is no perf');
  const folder = mkdtempSync(join(tmpdir(), 'rubato-perf-'));
  const data = join(folder, 'perf.data');
  const nodeArgs = ['--perf-basic-prof-only-functions', '--interpreted-frames-native-stack'];
  const rubato = await startRubato('rubato', { enginePort: load.enginePort, collectorPort, nodeArgs });
  await load.paced(rubato, { ...PLAN, forMs: 1_000 });
  const record = ['record', '-F', String(PERF_HZ), '-p', String(rubato.pid), '-o', data];
  const perf = spawn('perf', record, { stdio: 'ignore' });
  const { chunkCount } = await underLoad(load, rubato);
  perf.kill('SIGINT');
  await once(perf, 'exit');
  const tables = ['comm', 'comm,dso', 'comm,dso,symbol'].map((keys) => perfTable(data, keys));
  await rubato.stop();
  if (tables.every((table) => table === '')) return progress('!!!!!!!! NOT MEASURED: perf may not be used here');
  const text = `${machineText()}; 100 streams × 50 chunks/s, everything on, ${chunkCount} chunks, shares of all CPU.\n\n`;
  writeFileSync(new URL(`${options.name}.perf.txt`, PROFILES), text + tables.join('\n'));
  progress(`written to test/bench/profiles/${options.name}.perf.txt`);
}

const engine = await LightEngine.start();
const load = new Load(engine);
const collector = await startCollector();
await bySamples(load, collector.port);
if (options.perf) await byPerf(load, collector.port);
await collector.stop();
await engine.stop();
