// For tests that need a sidecar of their own each: an engine, a sidecar with --http2 and clients, ended with the test.
import { afterEach } from 'vitest';
import { FrameClient, H2Client } from './h2-client.ts';
import { RawEngine } from './raw-engine.ts';
import { Sidecar } from './sidecar.ts';

export interface H2Bench {
  readonly engine: RawEngine;
  readonly sidecar: Sidecar;
}

export interface H2Benches {
  /** `args` beside --http2. */
  start(...args: readonly string[]): Promise<H2Bench>;
  /** One that speaks HTTP/1.1 alone. */
  startPlain(): Promise<H2Bench>;
  client(bench: H2Bench, options?: ConstructorParameters<typeof H2Client>[1]): H2Client;
  frames(bench: H2Bench): FrameClient;
}

/** Call it at the top of a test file. What is opened last is ended first. */
export function useH2Benches(): H2Benches {
  const open: { stop: () => Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).toReversed()) await each.stop();
  });
  const keep = <Opened extends { stop: () => Promise<unknown> }>(opened: Opened): Opened => {
    open.push(opened);
    return opened;
  };
  const start = async (args: readonly string[]): Promise<H2Bench> => {
    const engine = keep(await RawEngine.start());
    const sidecar = keep(await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args }));
    return { engine, sidecar };
  };
  return {
    start: (...args) => start(['--http2', ...args]),
    startPlain: () => start([]),
    client: ({ sidecar }, options) => keep(new H2Client(`http://127.0.0.1:${sidecar.listenPort}`, options)),
    frames: ({ sidecar }) => keep(new FrameClient(sidecar.listenPort)),
  };
}
