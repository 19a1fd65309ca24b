// A preload that says each second how much CPU each thread of the sidecar used at most between two turns of a timer
// that is always due: an upper bound of its longest task. Time without the CPU is none, so a busy machine does not
// look like a busy sidecar.
import { isMainThread, threadId, threadName } from 'node:worker_threads';

const TICK_MS = 1;
const SAY_EVERY_MS = 1_000;

const thread = isMainThread ? 'main' : threadName;
const usedUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let lastUs = usedUs();
let longestUs = 0;

setInterval(() => {
  const nowUs = usedUs();
  longestUs = Math.max(longestUs, nowUs - lastUs);
  lastUs = nowUs;
}, TICK_MS).unref();

setInterval(() => {
  process.stdout.write(`${JSON.stringify({ msg: 'longest task', thread, threadId, cpuMs: longestUs / 1e3 })}\n`);
  longestUs = 0;
}, SAY_EVERY_MS).unref();
