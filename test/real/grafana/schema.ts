// Grafana's schema of dashboards, as its makers publish it for programs that write some (grafana-foundation-sdk,
// made from the schema that Grafana itself is built with). Grafana itself is not needed for it.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../engine/cache.ts';
import { needGo } from '../engine/go.ts';

const MODULE = 'github.com/grafana/grafana-foundation-sdk/go';
const VERSION = '0.0.22';
const BINARY = 'check-dashboards';
/** One module without others below it: half a minute, more where others compile as well. */
const BUILD_CAP_MS = 10 * 60_000;
const BUILD_DISK_BYTES = 1e9;

/** Path of a program that says what is wrong with the dashboards in its arguments. Throws `MissingError`. */
export async function schemaChecker(): Promise<string> {
  const folder = await installed({
    name: `grafana-schema-${VERSION}`,
    capMs: BUILD_CAP_MS,
    diskBytes: BUILD_DISK_BYTES,
    make: build,
  });
  return join(folder, BINARY);
}

async function build(folder: string, deadlineAtMs: number): Promise<void> {
  const work = join(folder, 'work');
  mkdirSync(work);
  const go = needGo({ cwd: work, deadlineAtMs });
  copyFileSync(new URL('check.go', import.meta.url).pathname, join(work, 'main.go'));
  await go('mod', 'init', 'rubato.test/grafana');
  await go('get', `${MODULE}@v${VERSION}`);
  await go('build', '-trimpath', '-ldflags=-s -w', '-o', join(folder, BINARY), '.');
  rmSync(work, { recursive: true });
}
