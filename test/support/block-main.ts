// Loaded into the sidecar by `--import` in tests: on SIGUSR2 its main thread does nothing for a while, as
// if a collection or a long export held it. How long is in the environment. Relay threads load this
// file as well and do nothing.
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const STDERR = 2;
const blockMs = Number(process.env['TEST_BLOCK_MS'] ?? '2000');

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const endMs = performance.now() + blockMs;
    while (performance.now() < endMs);
    writeSync(STDERR, `${JSON.stringify({ msg: 'main was blocked', block_ms: blockMs })}\n`);
  });
}
