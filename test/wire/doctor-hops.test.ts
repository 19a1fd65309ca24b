// Goal: `rubato doctor` says of each edge whether its hop can be reached and leads back to the main listener, what
// the hop does to a stream, and of a peer whether it can be asked; each fault with its cure.
// Method: the command as its users run it, gateways that lead to the right place, past it and nowhere.
import { afterEach, expect, test } from 'vitest';
import type { Finding } from '../../src/app/doctor/check.ts';
import { startReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { freePort } from '../../src/client/hops/free-port.ts';
import { Gateway, type GatewayOptions } from '../support/gateway.ts';
import { rubato } from '../support/program.ts';
import { Sidecar } from '../support/sidecar.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function startEngine(): Promise<{ url: string; port: number }> {
  const engine = await startReferenceEngine();
  open.push(() => engine.close());
  return engine;
}

async function startGateway(innerPort: number | undefined, options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await Gateway.start(options);
  open.push(() => gateway.stop());
  gateway.innerPort = innerPort;
  return gateway;
}

/** Findings of these checks: status, what was said, the cure. */
async function doctor(args: readonly string[], checks: readonly string[]): Promise<readonly Finding[]> {
  const { stdout, stderr } = await rubato(['doctor', '--json', ...args]);
  expect(stderr).toBe('');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.filter(({ check }) => checks.includes(check));
}

const ways = (findings: readonly Finding[]) => findings.map(({ status, says }) => `${status}: ${says}`);

test('an edge whose gateway leads to the listener is found again behind it', async () => {
  const [engine, port] = [await startEngine(), await freePort()];
  const gateway = await startGateway(port);
  const args = ['--upstream', engine.url, '--listen', `127.0.0.1:${port}`, '--admin', '127.0.0.1:0'];
  const findings = await doctor([...args, '--edge', `gate@127.0.0.1:0=${gateway.url}`], ['edge', 'port']);
  const [reached, passed] = findings.filter(({ check }) => check === 'edge');
  expect([reached?.status, passed?.status]).toEqual(['ok', 'ok']);
  expect(reached?.says).toContain(`the hop gate (${gateway.url}) can be reached`);
  expect(passed?.says).toContain('the hop gate passes requests on (found again by trace id)');
  expect(findings.filter(({ check, says }) => check === 'port' && says.startsWith('--edge'))).toHaveLength(1);
});

test('a gateway that asks the engine past the listener is told, and one that leads nowhere', async () => {
  const [engine, port] = [await startEngine(), await freePort()];
  const [past, nowhere] = [await startGateway(engine.port), await startGateway(undefined)];
  const args = ['--upstream', engine.url, '--listen', `127.0.0.1:${port}`, '--admin', '127.0.0.1:0'];
  const edges = ['--edge', `past@127.0.0.1:0=${past.url}`, '--edge', `nowhere@127.0.0.1:0=${nowhere.url}`];
  const findings = await doctor([...args, ...edges], ['edge']);
  expect(ways(findings.slice(2))).toEqual([
    `fail: the hop past answered 200, and nothing came to --listen 127.0.0.1:${port}`,
    `fail: the hop nowhere answered 503, and nothing came to --listen 127.0.0.1:${port}`,
  ]);
  expect(findings.slice(2).map(({ cure }) => cure)).toEqual([
    `it asks somebody else: its upstream must be http://127.0.0.1:${port}, not the engine`,
    `its own upstream must be http://127.0.0.1:${port}: see its configuration and its log`,
  ]);
});

test('a gateway that nobody started is not reached', async () => {
  const [engine, port, gone] = [await startEngine(), await freePort(), await freePort()];
  const args = ['--upstream', engine.url, '--listen', `127.0.0.1:${port}`, '--admin', '127.0.0.1:0', '--no-request'];
  const findings = await doctor([...args, '--edge', `gate@127.0.0.1:0=http://127.0.0.1:${gone}`], ['edge']);
  expect(findings).toMatchObject([
    { status: 'fail', cure: 'nothing listens there: start the gateway, or correct --edge' },
  ]);
});

test('where a rubato runs already it is asked through its own edge, and a hop that holds is told with a cure', async () => {
  const engine = await startEngine();
  const gateway = await startGateway(undefined, { way: { name: 'until_end' } });
  const [listen, admin, edge] = [await freePort(), await freePort(), await freePort()];
  const args = ['--listen', `127.0.0.1:${listen}`, '--admin', `127.0.0.1:${admin}`];
  const edges = ['--edge', `gate@127.0.0.1:${edge}=${gateway.url}`];
  const running = await Sidecar.start({ upstream: engine.url, args: [...args, ...edges] });
  open.push(() => running.stop());
  gateway.innerPort = listen;
  const findings = await doctor(['--upstream', engine.url, ...args, ...edges], ['edge']);
  expect(findings[1]?.says).toContain('the hop gate passes requests on (found again by trace id)');
  expect(['ok', 'warn']).toContain(findings[1]?.status);
  if (findings[1]?.status === 'warn') expect(findings[1].cure).toBeDefined();
});

test('a peer is asked, and what went through the hop was seen there', async () => {
  const engine = await startEngine();
  const inner = await Sidecar.start({ upstream: engine.url });
  open.push(() => inner.stop());
  const gateway = await startGateway(inner.listenPort);
  const args = ['--upstream', gateway.url, '--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0'];
  const peer = `http://127.0.0.1:${inner.adminPort}`;
  expect(ways(await doctor([...args, '--peer', `far@${peer}`], ['peer']))).toEqual([
    `ok: ${peer} answers as a rubato that can be a peer`,
    expect.stringContaining('ok: the hop far passes requests on (found again by trace id)'),
  ]);
  const [lost] = await doctor([...args, '--no-request', '--peer', gateway.url], ['peer']);
  expect(lost).toMatchObject({ status: 'fail', says: `${gateway.url}/api/pairing cannot be asked: 404` });
});
