// T13 and T14: what rubato holds for clients that do not read, and what a body as large as can be costs in memory
// and in time.
import { nowNs } from '../../../src/base/clock.ts';
import { residentKib } from '../harness/processes.ts';
import { largest, median, short, spreadText } from '../harness/stats.ts';
import { BigClient, BigEngine, MIB } from './big-engine.ts';
import type { Check, Finding } from './finding.ts';
import { watchRss } from './memory.ts';
import { inTurns, pause, type Way } from './ways.ts';

const SLOW = { count: 20, mib: 256, turnCount: 1, heldMaxKib: 64 };
/** A client that reads slowly: a bite now and then. */
const REST_MS = 60;
const BITE_MS = 60;
const LARGE = { mib: 1024, turnCount: 3, growthMaxMib: 1, slowerMaxShare: 1 - 0.7 };

interface Held {
  /** Resident memory while none of them reads, and at most while they read slowly; beyond that before. */
  readonly stillKib: number;
  readonly slowKib: number;
  /** Of one client, by rubato's own account: most that waited for it in user space. */
  readonly queuedKib: number;
}

/** Waits until the engine cannot write any more. */
async function untilStill(engine: BigEngine): Promise<void> {
  for (let before = -1; before !== engine.writtenBytes;) {
    before = engine.writtenBytes;
    await pause(500);
  }
}

async function readSlowly(clients: readonly BigClient[]): Promise<void> {
  const all = Promise.all(clients.map((client) => client.over)).then(() => 'over' as const);
  do {
    for (const client of clients) client.resume();
    await pause(BITE_MS);
    for (const client of clients) client.pause();
  } while ((await Promise.race([all, pause(REST_MS)])) !== 'over');
}

async function slowTurn(engine: BigEngine, { port, pid, sidecar }: Way): Promise<Held> {
  if (pid === undefined) return { stillKib: 0, slowKib: 0, queuedKib: 0 };
  await pause(1_000);
  const beforeKib = residentKib(pid);
  const clients = Array.from({ length: SLOW.count }, () => new BigClient(port, 'events', SLOW.mib));
  for (const client of clients) client.pause();
  await untilStill(engine);
  const stillKib = residentKib(pid) - beforeKib;
  const stopWatch = watchRss(pid, 100);
  await readSlowly(clients);
  const slowKib = largest(stopWatch()) - beforeKib;
  await pause(1_500);
  const queued = (sidecar?.records() ?? []).slice(-SLOW.count).map(({ record }) => largest(record.chunks.queuedBytes));
  return { stillKib, slowKib, queuedKib: largest(queued) / 1024 };
}

export const slowReaders: Check = {
  ids: ['T13'],
  about: `${SLOW.count} clients of ${SLOW.mib} MiB each that read slowly`,
  async run() {
    const engine = await BigEngine.start();
    const turns = await inTurns(SLOW.turnCount, { enginePort: engine.port }, (way) => slowTurn(engine, way));
    engine.stop();
    const each = (held: readonly Held[], read: (turn: Held) => number): number => median(held.map(read)) / SLOW.count;
    const finding = (what: string, read: (turn: Held) => number): Finding => {
      const value = each(turns.rubato, read);
      const all = spreadText(turns.rubato.map(read).map((kib) => kib / 1024));
      const note = `of the process, MiB: ${all}; of the pipe ${short(each(turns.pipe, read) * (SLOW.count / 1024))}`;
      return {
        id: 'T13',
        what,
        value,
        target: SLOW.heldMaxKib,
        unit: 'KiB a stream',
        pipe: each(turns.pipe, read),
        note,
      };
    };
    return [
      {
        id: 'T13',
        what: 'queued for a client in user space by rubato’s own account, worst',
        value: largest(turns.rubato.map(({ queuedKib }) => queuedKib)),
        target: SLOW.heldMaxKib,
        unit: 'KiB',
      },
      finding('resident memory more while none reads', ({ stillKib }) => stillKib),
      finding('the same, most while they read slowly', ({ slowKib }) => slowKib),
    ];
  },
};

interface Passed {
  readonly tookNs: number;
  /** Highest of the second half above the highest of the first. */
  readonly growthMib: number;
}

async function pass({ port, pid }: Way, way: 'down' | 'up'): Promise<Passed> {
  const stopWatch = watchRss(pid);
  const beganAtNs = nowNs();
  await new BigClient(port, way, LARGE.mib).over;
  const tookNs = nowNs() - beganAtNs;
  const looks = stopWatch();
  const half = Math.ceil(looks.length / 2);
  const growthMib = (largest(looks.slice(half)) - largest(looks.slice(0, half))) / 1024;
  return { tookNs, growthMib: Math.max(0, growthMib) };
}

async function largeFindings(engine: BigEngine, way: 'down' | 'up'): Promise<Finding[]> {
  const turns = await inTurns(LARGE.turnCount, { enginePort: engine.port }, (each) => pass(each, way));
  const tookNs = (each: readonly Passed[]): number => median(each.map((passed) => passed.tookNs));
  const slower = (each: readonly Passed[]): number => 1 - tookNs(turns.direct) / tookNs(each);
  const rate = (each: readonly Passed[]): string => short((LARGE.mib * MIB) / tookNs(each));
  const growth = (each: readonly Passed[]): number => median(each.map(({ growthMib }) => growthMib));
  return [
    {
      id: 'T14',
      what: `1 GiB ${way}: share of the direct throughput that is lost`,
      value: slower(turns.rubato),
      target: LARGE.slowerMaxShare,
      unit: '',
      direct: 0,
      pipe: slower(turns.pipe),
      note: `GB/s: direct ${rate(turns.direct)}, pipe ${rate(turns.pipe)}, rubato ${rate(turns.rubato)}`,
    },
    {
      id: 'T14',
      what: `1 GiB ${way}: growth of memory from its first half to its second`,
      value: growth(turns.rubato),
      target: LARGE.growthMaxMib,
      unit: 'MiB',
      pipe: growth(turns.pipe),
      note: spreadText(turns.rubato.map(({ growthMib }) => growthMib)),
    },
  ];
}

export const largeBodies: Check = {
  ids: ['T14'],
  about: `${LARGE.mib} MiB down and up`,
  async run() {
    const engine = await BigEngine.start();
    const findings = [...(await largeFindings(engine, 'down')), ...(await largeFindings(engine, 'up'))];
    engine.stop();
    return findings;
  },
};
