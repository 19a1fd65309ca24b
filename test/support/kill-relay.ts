// Loaded into the sidecar by `--import` in tests: on SIGUSR2 its relay threads end at once, as if a fault
// nobody foresaw had ended them. Signals reach the main thread only, so it passes the word on.
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const channel = new BroadcastChannel('kill-relay');
// Neither thread may stay alive for this.
channel.unref();

if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('end'));
else channel.addEventListener('message', () => process.exit(1));
