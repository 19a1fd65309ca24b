// T24: bodies made to hurt whoever reads them do not hold up the relay's loop, leave nothing behind in memory, and
// pass whole. The reader sits on another thread; what it holds while it reads is shown as well.
import { gzipSync } from 'node:zlib';
import { residentKib } from '../harness/processes.ts';
import { largest, short } from '../harness/stats.ts';
import { RawClient } from '../../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../../support/raw-engine.ts';
import { sumOf } from '../../support/prometheus.ts';
import { c, chatRequest, D, END, head } from '../../support/script.ts';
import { Sidecar } from '../../support/sidecar.ts';
import type { Check, Finding } from './finding.ts';
import { watchRss } from './memory.ts';
import { pause } from './ways.ts';

const MIB = 1024 * 1024;
const WRITE_BYTES = 64 * 1024;
const TURN_MAX_MS = 10;
const KEPT_MAX_MIB = 1;
/** The metric looks back ten seconds; memory of what was read is given back meanwhile. */
const SETTLE_MS = 11_000;

interface Bomb {
  readonly name: string;
  readonly lines?: readonly string[];
  readonly body: () => Buffer;
}

const BOMBS: readonly Bomb[] = [
  { name: 'a line of 32 MiB', body: () => Buffer.from(D('x'.repeat(32 * MIB))) },
  { name: 'a million empty events', body: () => Buffer.from('data:\n\n'.repeat(1_000_000)) },
  {
    name: 'JSON 100,000 deep',
    body: () => Buffer.from(`data: {"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n\n`),
  },
  {
    name: '__proto__ a thousand times',
    body: () => Buffer.from('data: {"__proto__":{"choices":[{"delta":{"content":"x"}}]}}\n\n'.repeat(1_000)),
  },
  {
    name: 'a bomb of gzip, 100 MiB in it',
    lines: ['content-encoding: gzip'],
    body: () => gzipSync(Buffer.alloc(100 * MIB, 'data: x\n\n'), { level: 9 }),
  },
];

interface Blast {
  readonly turnMs: number;
  readonly mostMib: number;
  readonly keptMib: number;
  readonly isWhole: boolean;
}

async function blast(engine: RawEngine, sidecar: Sidecar, { body, lines = [] }: Bomb): Promise<Blast> {
  const bytes = body();
  const beforeKib = residentKib(sidecar.pid);
  const stopWatch = watchRss(sidecar.pid);
  const plan = engine.plan(async (exchange) => {
    await exchange.write(head('200 OK', 'content-type: text/event-stream', 'transfer-encoding: chunked', ...lines));
    for (let from = 0; from < bytes.length; from += WRITE_BYTES)
      await exchange.write(c(bytes.subarray(from, from + WRITE_BYTES)));
    await exchange.write(END);
  });
  const client = await RawClient.open(sidecar.listenPort);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response(0, 60_000);
  client.close();
  await pause(1_500);
  const turnMs = (sumOf(await sidecar.metrics(), 'rubato_self_loop_lag_seconds', { thread: 'relay-0' }) ?? NaN) * 1e3;
  const mostMib = (largest(stopWatch()) - beforeKib) / 1024;
  await pause(SETTLE_MS);
  const { answer } = await plan.exchange;
  return {
    turnMs,
    mostMib,
    keptMib: Math.max(0, residentKib(sidecar.pid) - beforeKib) / 1024,
    isWhole: response.complete && response.sha256 === answer?.sha256,
  };
}

export const bombs: Check = {
  ids: ['T24'],
  about: BOMBS.map(({ name }) => name).join(', '),
  async run() {
    const engine = await RawEngine.start();
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}` });
    // Each once before it counts: the heap, the tape and the lists of what was last are had once.
    for (const bomb of BOMBS) await blast(engine, sidecar, bomb);
    const findings: Finding[] = [];
    let brokenCount = 0;
    for (const bomb of BOMBS) {
      const { turnMs, mostMib, keptMib, isWhole } = await blast(engine, sidecar, bomb);
      if (!isWhole) brokenCount += 1;
      findings.push(
        { id: 'T24', what: `${bomb.name}: longest turn of the relay`, value: turnMs, target: TURN_MAX_MS, unit: 'ms' },
        {
          id: 'T24',
          what: `${bomb.name}: memory kept`,
          value: keptMib,
          target: KEPT_MAX_MIB,
          unit: 'MiB',
          note: `most while it passed ${short(mostMib)}`,
        },
      );
    }
    findings.push({ id: 'T24', what: 'not whole at the client', value: brokenCount, target: 0, unit: 'answers' });
    await sidecar.stop();
    await engine.stop();
    return findings;
  },
};
