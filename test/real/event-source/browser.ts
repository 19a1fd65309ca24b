// Chromium's own EventSource on the vectors: a page that opens each stream and reports what was
// dispatched, and a server for both. The browser comes through rubato, as a reader's would.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { atTheEnd } from '../../support/children.ts';
import { Sidecar } from '../../support/sidecar.ts';
import { EVENT_NAMES, type Message, VECTORS } from './vectors.ts';

const COMMANDS = ['chromium-headless-shell', 'chromium', 'google-chrome', 'chromium-browser'];
/** For all vectors; they take two seconds, and starting on a busy machine a few more. */
const REPORT_WAIT_MS = 40_000;

/** Runs in the page: one stream after the other, each until its end, which EventSource calls an error. */
const SCRIPT = `
const read = (index) => new Promise((resolve) => {
  const messages = [];
  const source = new EventSource('/stream/' + index);
  for (const name of ${JSON.stringify(EVENT_NAMES)}) {
    source.addEventListener(name, (event) => {
      if (event instanceof MessageEvent) messages.push({ name: event.type, data: event.data });
    });
  }
  source.onerror = (event) => {
    if (event instanceof MessageEvent) return;
    source.close();
    resolve(messages);
  };
});
const all = [];
for (let index = 0; index < ${VECTORS.length}; index += 1) all.push(await read(index));
await fetch('/report', { method: 'POST', body: JSON.stringify({ agent: navigator.userAgent, all }) });
`;
const PAGE = `<!doctype html><meta charset="utf-8"><title>EventSource</title><script type="module">${SCRIPT}</script>`;

export interface Report {
  readonly agent: string;
  /** In the order of the vectors. */
  readonly all: readonly (readonly Message[])[];
}

export function browserCommand(): string | undefined {
  return COMMANDS.find((command) => {
    const asked = spawnSync(command, ['--version'], { encoding: 'utf8' });
    // Ubuntu's package of this name is a word of advice to install something else.
    return asked.status === 0 && /Chrom/i.test(asked.stdout);
  });
}

async function stream(response: ServerResponse, index: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  for (const piece of VECTORS[index]?.pieces ?? []) {
    response.write(piece);
    // The next piece is a write of its own.
    await setImmediate();
  }
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** What the browser dispatched of each vector. */
export async function askBrowser(command: string): Promise<Report> {
  const { promise: report, resolve, reject } = Promise.withResolvers<Report>();
  const server = createServer((request, response) => {
    const index = /^\/stream\/(\d+)$/.exec(request.url ?? '')?.[1];
    if (index !== undefined) void stream(response, Number(index));
    else if (request.url === '/report') {
      // Answered when it is whole: after an early answer nobody owes us the rest of a request.
      void textOf(request)
        .then((text) => resolve(JSON.parse(text) as Report))
        .catch(reject)
        .finally(() => response.end());
    } else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const folder = mkdtempSync(join(tmpdir(), 'rubato-chromium-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
  // An open port for debugging is what keeps a headless browser from leaving once the page is loaded.
  const args = [...flags, '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  // A process group of its own: the command may be a script whose end is not that of the browser.
  const address = `http://127.0.0.1:${sidecar.listenPort}/`;
  const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const release = atTheEnd(kill);
  const timer = setTimeout(() => reject(new Error('the browser reported nothing')), REPORT_WAIT_MS);
  child.on('error', reject).on('exit', (code) => reject(new Error(`the browser ended by itself (${code})`)));
  try {
    return await report;
  } finally {
    clearTimeout(timer);
    child.removeAllListeners('exit');
    release();
    const gone = new Promise((done) => child.once('close', done));
    kill();
    if (child.exitCode === null) await gone;
    await sidecar.stop();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
