// The relay thread's entry: boots a relay from the settings the main thread hands over, keeps its
// heartbeat, drains it. Started as a worker; importing it anywhere else starts a relay.
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { nowNs, shareClockBase } from '../base/clock.ts';
import { Relay } from './relay.ts';
import { createRelayServer, type RelayServer } from './server.ts';
import type { RelayCommand, RelayMessage, RelaySettings } from './settings.ts';
import { warmUp } from './warm-up.ts';

const HEARTBEAT_MS = 50;
const DRAIN_SWEEP_MS = 50;
/** Collections shorter than this cannot taint a gap: half of what a stamp may be off at least. */
const PAUSE_MIN_MS = 0.5;

function keepHeartbeat(relay: Relay): void {
  let dueAtNs = nowNs() + HEARTBEAT_MS * 1e6;
  setInterval(() => {
    const atNs = nowNs();
    relay.noteLag(Math.max(0, Math.round((atNs - dueAtNs) / 1e3)));
    dueAtNs = atNs + HEARTBEAT_MS * 1e6;
    relay.beat();
  }, HEARTBEAT_MS);
}

function watchCollections(relay: Relay): void {
  // Entry times count from this thread's own origin.
  const originNs = nowNs() - performance.now() * 1e6;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (duration < PAUSE_MIN_MS) continue;
      const startAtNs = Math.round(originNs + startTime * 1e6);
      relay.notePause(startAtNs, startAtNs + Math.round(duration * 1e6));
    }
  }).observe({ entryTypes: ['gc'] });
}

function drain(relay: Relay, { server }: RelayServer, withinMs: number): void {
  const deadlineNs = nowNs() + withinMs * 1e6;
  relay.startDrain();
  server.close();
  let cutCount = 0;
  let cut = false;
  const sweep = setInterval(() => {
    // Again and again: a connection that is busy now is idle later.
    server.closeIdleConnections();
    if (!cut && nowNs() >= deadlineNs) {
      cut = true;
      cutCount = relay.cutAll();
    }
    if (relay.openCount > 0) return;
    clearInterval(sweep);
    server.closeIdleConnections();
    relay.close();
    post({ type: 'drained', cutCount });
  }, DRAIN_SWEEP_MS);
}

function post(message: RelayMessage): void {
  parentPort?.postMessage(message);
}

async function main(settings: RelaySettings): Promise<void> {
  shareClockBase(settings.clockBaseSeconds);
  if (settings.warmUp) await warmUp();
  const relay = new Relay(settings);
  const running = await createRelayServer(relay);
  const { server } = running;
  server.once('error', (error: NodeJS.ErrnoException) =>
    post({ type: 'listen_failed', code: error.code ?? 'ERROR', message: error.message }),
  );
  parentPort?.on('message', (command: RelayCommand) => {
    if (command.type === 'drain') drain(relay, running, command.withinMs);
    else relay.clientGone(command.exchange);
  });
  keepHeartbeat(relay);
  watchCollections(relay);
  const { host, port, shared } = settings.listen;
  server.listen({ host, port, backlog: 4096, ...(shared ? { reusePort: true } : {}) }, () => {
    const address = server.address();
    if (address !== null && typeof address === 'object')
      post({ type: 'listening', host: address.address, port: address.port });
  });
}

await main(workerData as RelaySettings);
