// The relay thread's entry: boots, then waits for main to say where to listen and by which settings, and
// from then on does what main says. Started as a worker; importing it anywhere else starts a relay.
import { parentPort, workerData } from 'node:worker_threads';
import { shareClockBase } from '../base/clock.ts';
import { takePriority } from '../base/thread-priority.ts';
import { Drain } from './drain.ts';
import { exceptionReason } from './guarded.ts';
import { keepHeartbeat, watchCollections } from './pulse.ts';
import { Relay } from './relay.ts';
import type { HttpServer } from './listener.ts';
import { createRelayServer, type RelayServer } from './server.ts';
import type { ListenAddress, ListenPlace, RelayBoot, RelayCommand, RelayMessage, RelaySettings } from './settings.ts';
import { warmUp } from './warm-up.ts';

/** Until main, which knows the limit, says it. */
const FAILED_DRAIN_MS = 5_000;

interface Running {
  readonly relay: Relay;
  readonly server: RelayServer;
  readonly drain: Drain;
}

function post(message: RelayMessage): void {
  parentPort?.postMessage(message);
}

async function listen(addresses: readonly ListenAddress[], settings: RelaySettings): Promise<Running> {
  const relay = new Relay(settings);
  const running = await createRelayServer(relay, {
    tls: settings.tls,
    http2: settings.http2,
    edgeCount: addresses.length - 1,
  });
  keepHeartbeat(relay);
  watchCollections(relay);
  void listenOnAll(running.servers, addresses);
  const drain = new Drain(relay, running, (cutCount) => post({ type: 'drained', cutCount }));
  surviveFaults(drain);
  return { relay, server: running, drain };
}

/** Says where it listens once it does everywhere, or which address cannot be had. */
async function listenOnAll(servers: readonly HttpServer[], addresses: readonly ListenAddress[]): Promise<void> {
  const places: ListenPlace[] = [];
  for (const [listener, address] of addresses.entries()) {
    try {
      places.push(await listenOn(servers[listener] as HttpServer, address));
    } catch (error) {
      const { code = 'ERROR', message } = error as NodeJS.ErrnoException;
      return post({ type: 'listen_failed', listener, code, message });
    }
  }
  post({ type: 'listening', places });
}

function listenOn(server: HttpServer, { host, port, shared }: ListenAddress): Promise<ListenPlace> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 4096, ...(shared ? { reusePort: true } : {}) }, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve({ host: address.address, port: address.port });
    });
  });
}

/**
 * A fault that nobody caught would end the thread and cut every stream, while it most likely concerns one.
 * So nobody new comes in, another relay takes over, and what is open comes to its end.
 */
function surviveFaults(drain: Drain): void {
  let hasFailed = false;
  process.on('uncaughtException', (fault) => {
    if (hasFailed) return;
    hasFailed = true;
    drain.start(FAILED_DRAIN_MS);
    post({ type: 'failed', reason: exceptionReason(fault) });
  });
}

function obey({ relay, server, drain }: Running, command: RelayCommand): void {
  switch (command.type) {
    case 'configure':
      relay.configure(command.settings);
      post({ type: 'configured' });
      return;
    case 'tls':
      server.replaceTls(command.pair);
      return;
    case 'drain':
      drain.start(command.withinMs);
      return;
    case 'client_gone':
      relay.clientGone(command.exchange);
      return;
    case 'listen':
      return;
  }
}

async function main({ warmUp: rehearses, clockBaseSeconds, nice }: RelayBoot): Promise<void> {
  shareClockBase(clockBaseSeconds);
  takePriority(nice);
  if (rehearses) await warmUp();
  let running: Promise<Running> | undefined;
  // Commands that came meanwhile have waited in the port, and each waits for the one before.
  parentPort?.on('message', (command: RelayCommand) => {
    if (command.type === 'listen') running = listen(command.addresses, command.settings);
    else void running?.then((it) => obey(it, command));
  });
}

await main(workerData as RelayBoot);
