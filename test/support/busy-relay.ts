// Loaded into the sidecar by `--import` in tests: keeps the loops of its relay threads busy now and then, for 5
// to 100 ms at a time by computing, or with garbage that has to be collected. The main thread is left alone.
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 170;

function compute(): void {
  const untilMs = performance.now() + 5 + Math.random() * 95;
  while (performance.now() < untilMs);
}

/** Objects that live long enough to be copied a few times, then die together. */
function litter(): void {
  const kept: { readonly values: number[] }[] = [];
  for (let i = 0; i < 60_000; i += 1) kept.push({ values: [i, i + 1, i + 2] });
  kept.length = 0;
}

if (!isMainThread) setInterval(process.env['TEST_BUSY'] === 'litter' ? litter : compute, EVERY_MS).unref();
