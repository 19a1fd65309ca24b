// T26: clients that send next to nothing, or nothing, are closed in time, and good clients beside them are served as
// fast as without them.
import { connect, type Socket } from 'node:net';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { largest, percentile, short } from '../harness/stats.ts';
import { RawClient } from '../../support/raw-client.ts';
import { Sidecar } from '../../support/sidecar.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const ATTACKER_COUNT = 500;
const DRIP_EVERY_MS = 1_000;
const CLOSED_MAX_MS = 11_000;
const P99_MORE_MAX_MS = 5;
const GOOD_FOR_MS = 9_000;
const GOOD_EVERY_MS = 10;
/** What each of a kind sends at first and then each second. */
const KINDS = {
  heads: ['POST /slow-head HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n'],
  bodies: ['POST /slow-body HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n', 'x'],
  silent: ['', ''],
} as const;

async function startEngine(): Promise<Server> {
  const engine = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'));
  });
  engine.requestTimeout = 0;
  engine.listen(0, '127.0.0.1');
  await once(engine, 'listening');
  return engine;
}

/** Time from its connection to its end. */
function attack(port: number, [first, drip]: readonly [string, string]): Promise<number> {
  const beganAtMs = performance.now();
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(first));
    const timer = setInterval(() => socket.write(drip), DRIP_EVERY_MS);
    const over = (): void => {
      clearInterval(timer);
      resolve(performance.now() - beganAtMs);
      socket.destroy();
    };
    socket.on('error', () => undefined);
    socket.on('data', () => undefined);
    socket.on('end', over);
    socket.on('close', over);
  });
}

/** A request again and again on one connection; how long each took. */
async function goodRequests(port: number): Promise<number[]> {
  const client = await RawClient.open(port);
  const tookMs: number[] = [];
  const untilMs = performance.now() + GOOD_FOR_MS;
  for (let nth = 0; performance.now() < untilMs; nth += 1) {
    const atMs = performance.now();
    client.request('POST /good HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello');
    await client.response(nth, 30_000);
    tookMs.push(performance.now() - atMs);
    await pause(GOOD_EVERY_MS);
  }
  client.close();
  return tookMs;
}

export const slowAttackers: Check = {
  ids: ['T26'],
  about: `${ATTACKER_COUNT} each of slow heads, slow bodies and silent connections`,
  async run() {
    const engine = await startEngine();
    const { port } = engine.address() as AddressInfo;
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
    await goodRequests(sidecar.listenPort);
    const alone = await goodRequests(sidecar.listenPort);
    const attackers: { kind: string; life: Promise<number> }[] = [];
    for (let nth = 0; nth < ATTACKER_COUNT; nth += 1) {
      for (const [kind, words] of Object.entries(KINDS))
        attackers.push({ kind, life: attack(sidecar.listenPort, words) });
      if (nth % 20 === 0) await pause(5);
    }
    const beside = await goodRequests(sidecar.listenPort);
    const livesMs = await Promise.all(attackers.map(({ life }) => life));
    await sidecar.stop();
    engine.closeAllConnections();
    engine.close();
    const p99 = (values: readonly number[]): number => percentile(values, 99);
    const longest = (kind: string): number => largest(livesMs.filter((_, index) => attackers[index]?.kind === kind));
    return [
      {
        id: 'T26',
        what: 'good clients: p99 of a request beside attackers, above that without',
        value: p99(beside) - p99(alone),
        target: P99_MORE_MAX_MS,
        unit: 'ms',
        note: `p99 ${short(p99(alone))} without, ${short(p99(beside))} with; p50 ${short(percentile(alone, 50))} and ${short(percentile(beside, 50))}`,
      },
      ...Object.keys(KINDS).map((kind): Finding => {
        return {
          id: 'T26',
          what: `attackers (${kind}): connection → closed, longest`,
          value: longest(kind) / 1e3,
          target: CLOSED_MAX_MS / 1e3,
          unit: 's',
        };
      }),
    ];
  },
};
