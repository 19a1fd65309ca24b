// Loaded into the sidecar by `--import` in tests: on SIGUSR2 the thread that owns the admin port ends at
// once, as if a fault nobody foresaw had ended it. Signals reach the main thread only, which passes it on.
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads';

const channel = new BroadcastChannel('kill-admin');
// No thread may stay alive for this.
channel.unref();

if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('end'));
else if (threadName === 'admin') channel.addEventListener('message', () => process.exit(1));
