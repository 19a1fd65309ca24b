// The entry of the thread that owns the admin port. Started as a worker; importing it anywhere else
// starts a server.
import { parentPort, workerData } from 'node:worker_threads';
import { AdminFront } from './admin-front.ts';
import type { FrontCommand, FrontMessage, FrontSettings } from './admin-messages.ts';
import { LOOK_EVERY_MS } from './pulse-watch.ts';

function post(message: FrontMessage): void {
  parentPort?.postMessage(message);
}

function main(settings: FrontSettings): void {
  const front = new AdminFront(settings, {
    ask: (ask, asked) => post({ type: 'ask', ask, asked }),
    askLive: (wants) => post({ type: 'live_ask', wants }),
  });
  const { server } = front;
  server.on('error', (error: NodeJS.ErrnoException) =>
    post({ type: 'listen_failed', code: error.code ?? 'ERROR', message: error.message }),
  );
  server.listen({ host: settings.host, port: settings.port }, () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') post({ type: 'listening', port: address.port });
  });
  setInterval(() => front.look(), LOOK_EVERY_MS);
  parentPort?.on('message', (command: FrontCommand) => {
    switch (command.type) {
      case 'answer':
        front.answered(command.ask, command.answer);
        break;
      case 'live':
        front.live.answered(command.events);
        break;
      case 'pulses':
        front.setPulses(command.pulses);
        break;
      case 'close':
        front.close(() => post({ type: 'closed' }));
        break;
    }
  });
}

main(workerData as FrontSettings);
