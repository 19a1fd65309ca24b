// Loaded into the sidecar by `--import` in tests: reading JSON on the main thread takes 200 ms for each MiB, as if
// the parser were slow or the machine were. Relay threads read none.
import { isMainThread } from 'node:worker_threads';

const MS_PER_CHAR = 200 / (1024 * 1024);
const LONG_CHARS = 64 * 1024;

if (isMainThread) {
  const parse = JSON.parse.bind(JSON) as typeof JSON.parse;
  JSON.parse = ((text: string, reviver?: Parameters<typeof parse>[1]) => {
    const untilMs = performance.now() + (text.length >= LONG_CHARS ? text.length * MS_PER_CHAR : 0);
    while (performance.now() < untilMs);
    return parse(text, reviver) as unknown;
  }) as typeof JSON.parse;
}
