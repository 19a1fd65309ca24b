// Loaded into the sidecar before its own code, by each of its threads: writes down again and again what keeps
// that thread's loop alive (sockets, timers, …), which nobody can see from outside.
import { writeFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 500;
const folder = process.env['SOAK_FOLDER'] ?? '';

setInterval(() => {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  const file = join(folder, `${threadId}.json`);
  writeFileSync(`${file}.new`, JSON.stringify({ counts, heapBytes: process.memoryUsage().heapUsed }));
  renameSync(`${file}.new`, file);
}, EVERY_MS).unref();
