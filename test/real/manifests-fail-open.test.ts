// Goal: with the shown files nginx, HAProxy and Envoy pass streams through rubato as they come, go past it when it is killed,
// and come back; what was under way is cut so that its client can tell, and no request is computed twice. Method: the
// real servers with the very files of deploy/examples, a sidecar that is killed, and an engine that counts.
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/client/hops/free-port.ts';
import { Sidecar } from '../support/sidecar.ts';
import { poll } from '../support/signal.ts';
import { say } from './judge/missing.ts';
import { askStream, startCountingEngine } from './manifests/counting-engine.ts';
import { checkExample, ENVOY, HAPROXY, hasServer, NGINX, type Ports, startFront } from './manifests/fronts.ts';

/** As long as the slower of the two looks for rubato again, and as long again. */
const BACK_WAIT_MS = 20_000;
const FOREVER_EVENTS = 100_000;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function startSidecar({ rubato, admin, engine }: Ports, flags: readonly string[] = []): Promise<Sidecar> {
  const args = ['--listen', `127.0.0.1:${rubato}`, '--admin', `127.0.0.1:${admin}`, ...flags];
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine}`, args });
  open.push(() => sidecar.stop());
  return sidecar;
}

async function startAll(
  flags: readonly string[] = [],
): Promise<{ ports: Ports; ids: readonly string[]; sidecar: Sidecar }> {
  const engine = await startCountingEngine();
  open.push(() => engine.close());
  const ports = { rubato: await freePort(), admin: await freePort(), engine: engine.port };
  return { ports, ids: engine.ids, sidecar: await startSidecar(ports, flags) };
}

const FRONTS = [
  { name: 'nginx', server: NGINX, file: 'fail-open-nginx.conf', wrong: ['backup;', 'back_up;'] },
  { name: 'HAProxy', server: HAPROXY, file: 'fail-open-haproxy.cfg', wrong: ['8000 backup', '8000 back_up'] },
  { name: 'Envoy', server: ENVOY, file: 'fail-open-envoy.yaml', wrong: ['num_retries', 'retries'] },
];

describe.each(FRONTS)('$name before rubato', ({ name, server, file, wrong: [right = '', wrong = ''] }) => {
  const isThere = hasServer(server);
  if (!isThere) say(`!!!!!!!! NOT TESTED with ${name}: it is not installed (.ci/install-hops) !!!!!!!!`);

  test.skipIf(!isThere)('understands the file, and would not one with a wrong word', () => {
    const { code, out, err } = checkExample(server, file);
    expect(code, out + err).toBe(0);
    expect(checkExample(server, file, (text) => text.replace(right, wrong)).code).not.toBe(0);
  });

  test.skipIf(!isThere)('goes past it while it is dead, and back', { timeout: 120_000 }, async () => {
    const { ports, ids, sidecar } = await startAll();
    const front = await startFront(server, file, ports);
    open.push(() => front.stop());
    const ask = (id: string, events = 3): ReturnType<typeof askStream> => askStream({ port: front.port, id, events });

    // Through rubato.
    for (const id of ['a', 'b', 'c']) expect(await ask(id)).toMatchObject({ status: 200, isWhole: true });
    expect(await sidecar.recordsAfter(0, 3)).toHaveLength(3);

    // What is under way is cut, not ended, and not sent again.
    const begun = Promise.withResolvers<void>();
    const cut = askStream({ port: front.port, id: 'cut', events: FOREVER_EVENTS, onFirst: begun.resolve });
    await begun.promise;
    sidecar.signal('SIGKILL');
    await sidecar.untilExit();
    expect(await cut).toMatchObject({ status: 200, isWhole: false });
    expect(ids.filter((id) => id === 'cut')).toHaveLength(1);

    // Past rubato, from the first request on.
    const past = Array.from({ length: 10 }, (_, index) => `past-${index}`);
    for (const id of past) expect(await ask(id), id).toMatchObject({ status: 200, isWhole: true });
    expect(ids.filter((id) => id.startsWith('past-'))).toEqual(past);

    // And back.
    const again = await startSidecar(ports);
    let asked = 0;
    await poll(
      'a request through rubato again',
      async () => {
        expect(await ask(`back-${asked++}`, 1)).toMatchObject({ status: 200, isWhole: true });
        return again.records().length > 0 ? true : undefined;
      },
      BACK_WAIT_MS,
      200,
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.skipIf(!hasServer(HAPROXY))('HAProxy before rubato', () => {
  test('goes past it while it drains, and cuts nothing', { timeout: 120_000 }, async () => {
    // As the file says: HAProxy notices by its second look.
    const { ports, ids, sidecar } = await startAll(['--drain-delay', '4']);
    const front = await startFront(HAPROXY, 'fail-open-haproxy.cfg', ports);
    open.push(() => front.stop());
    const begun = Promise.withResolvers<void>();
    const long = askStream({ port: front.port, id: 'long', events: 300, onFirst: begun.resolve });
    await begun.promise;
    sidecar.signal('SIGTERM');
    for (let count = 0; count < 20; count += 1) {
      const answer = await askStream({ port: front.port, id: `while-${count}`, events: 5 });
      expect(answer, `request ${count}`).toMatchObject({ status: 200, isWhole: true });
    }
    const { isWhole, text } = await long;
    expect(isWhole).toBe(true);
    expect(text.match(/word/g)).toHaveLength(300);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.skipIf(!hasServer(NGINX))('nginx before rubato, by nginx.conf', () => {
  test('understands the file, and would not one with a wrong word', () => {
    const { code, out, err } = checkExample(NGINX, 'nginx.conf');
    expect(code, out + err).toBe(0);
    expect(checkExample(NGINX, 'nginx.conf', (text) => text.replace('gzip off', 'gzip of')).code).not.toBe(0);
  });

  test('passes every event on before the next one comes', { timeout: 60_000 }, async () => {
    const { ports, sidecar } = await startAll();
    const front = await startFront(NGINX, 'nginx.conf', ports);
    open.push(() => front.stop());
    // An answer without end: whatever collects it until it has enough, or until its end, would never pass it on.
    const first = Promise.withResolvers<void>();
    const endless = askStream({ port: front.port, id: 'endless', events: FOREVER_EVENTS, onFirst: first.resolve });
    await first.promise;
    const { text } = await askStream({ port: front.port, id: 'short', events: 20 });
    expect(text.match(/word/g)).toHaveLength(20);
    await sidecar.recordsAfter(0, 1);
    await front.stop();
    expect((await endless).isWhole).toBe(false);
  });
});

describe.skipIf(!hasServer(NGINX))('nginx beside rubato, by tap-nginx.conf', () => {
  test('understands the file, and would not one with a wrong word', () => {
    const { code, out, err } = checkExample(NGINX, 'tap-nginx.conf');
    expect(code, out + err).toBe(0);
    expect(checkExample(NGINX, 'tap-nginx.conf', (text) => text.replace('mirror ', 'miror ')).code).not.toBe(0);
  });

  test('answers from the engine, and rubato sees the copy until it is dead', { timeout: 120_000 }, async () => {
    // The engine behind rubato is another one, as the file says: what it counts are the copies.
    const { ports, ids: copies, sidecar } = await startAll();
    const engine = await startCountingEngine();
    open.push(() => engine.close());
    const front = await startFront(NGINX, 'tap-nginx.conf', { ...ports, engine: engine.port });
    open.push(() => front.stop());
    const answers = ['a', 'b', 'c'].map((id) => askStream({ port: front.port, id, events: 10 }));
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200, isWhole: true });
    await sidecar.recordsAfter(0, 3);
    expect([copies.toSorted(), engine.ids.toSorted()]).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);

    const begun = Promise.withResolvers<void>();
    const long = askStream({ port: front.port, id: 'long', events: 100, onFirst: begun.resolve });
    await begun.promise;
    sidecar.signal('SIGKILL');
    await sidecar.untilExit();
    expect(await long).toMatchObject({ status: 200, isWhole: true });
    expect(await askStream({ port: front.port, id: 'after', events: 5 })).toMatchObject({ status: 200, isWhole: true });
    expect(engine.ids).toContain('after');
    expect(copies).not.toContain('after');
  });
});
