// Loaded into the sidecar by `--import` in tests: moves the wall clock that all of its threads read, as NTP or
// an operator would, by -1 h at the first SIGUSR2 and by +10 s at each further one. Signals reach the
// main thread only, so it passes the word on.
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const channel = new BroadcastChannel('step-clock');
// Neither thread may stay alive for this.
channel.unref();
const now = Date.now.bind(Date);
let stepMs = 0;
Date.now = () => now() + stepMs;

if (isMainThread) {
  process.on('SIGUSR2', () => {
    stepMs += stepMs === 0 ? -3_600_000 : 10_000;
    channel.postMessage(stepMs);
  });
} else {
  channel.addEventListener('message', (event) => {
    stepMs = (event as unknown as { data: number }).data;
  });
}
