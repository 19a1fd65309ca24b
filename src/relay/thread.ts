// The relay thread's entry: boots a relay from the settings the main thread hands over and does what
// main says. Started as a worker; importing it anywhere else starts a relay.
import { parentPort, workerData } from 'node:worker_threads';
import { shareClockBase } from '../base/clock.ts';
import { drain } from './drain.ts';
import { keepHeartbeat, watchCollections } from './pulse.ts';
import { Relay } from './relay.ts';
import { createRelayServer } from './server.ts';
import type { RelayCommand, RelayMessage, RelaySettings } from './settings.ts';
import { warmUp } from './warm-up.ts';

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
    if (command.type === 'drain') {
      void drain(relay, running, command.withinMs).then((cutCount) => post({ type: 'drained', cutCount }));
    } else relay.clientGone(command.exchange);
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
