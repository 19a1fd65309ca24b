// T01: the matrix of departures is the bench `abort`, which runs as it is; added here is the client that leaves while
// an engine that does not read blocks its upload.
import { spawnSync } from 'node:child_process';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { nowNs } from '../../../src/base/clock.ts';
import { largest, msOf, percentile, short } from '../harness/stats.ts';
import { Sidecar } from '../../support/sidecar.ts';
import type { Check, Finding } from './finding.ts';
import { pause } from './ways.ts';

const BLOCKED = { runCount: 5, uploadBytes: 48 * 1024 * 1024, settleMs: 1_500, targetMs: 11_000 };

interface AbortReport {
  readonly verdicts: readonly { what: string; value: number; target: number; unit: string }[];
}

function matrix(): Finding[] {
  const file = new URL('../abort.ts', import.meta.url).pathname;
  const { stdout } = spawnSync(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  const line = stdout.split('\n').find((each) => each.startsWith('{"name":"abort"'));
  if (line === undefined) throw new Error(`the bench abort said nothing: ${stdout.slice(-500)}`);
  const { verdicts } = JSON.parse(line) as AbortReport;
  return verdicts.map(({ what, value, target, unit }) => ({ id: 'T01', what, value, target, unit }));
}

/** From the departure to the record of the end, of clients whose upload nobody takes. */
async function blocked(how: 'reset' | 'close'): Promise<number[]> {
  const engine = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.pause());
    sockets.push(socket);
  });
  const sockets: Socket[] = [];
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${(engine.address() as AddressInfo).port}` });
  const tookNs: number[] = [];
  for (let run = 0; run < BLOCKED.runCount; run += 1) {
    const client = connect(sidecar.listenPort, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(`POST /up-${run} HTTP/1.1\r\nhost: x\r\ncontent-length: ${BLOCKED.uploadBytes}\r\n\r\n`);
    client.write(Buffer.alloc(BLOCKED.uploadBytes, 'x'));
    await pause(BLOCKED.settleMs);
    const leftAtNs = nowNs();
    if (how === 'reset') client.resetAndDestroy();
    else client.destroy();
    await sidecar.record('the departure', ({ request }) => request.path === `/up-${run}`);
    tookNs.push(nowNs() - leftAtNs);
  }
  await sidecar.stop();
  for (const socket of sockets) socket.destroy();
  engine.close();
  return tookNs;
}

export const aborts: Check = {
  ids: ['T01'],
  about: 'departures in every phase, 200 each (the bench abort), and from a blocked upload',
  async run() {
    const findings = matrix();
    for (const how of ['reset', 'close'] as const) {
      const tookNs = await blocked(how);
      findings.push({
        id: 'T01',
        what: `blocked upload, ${how} → known, worst of ${tookNs.length}`,
        value: msOf(largest(tookNs)) / 1e3,
        target: BLOCKED.targetMs / 1e3,
        unit: 's',
        note: `p50 ${short(msOf(percentile(tookNs, 50)) / 1e3)}`,
      });
    }
    return findings;
  },
};
