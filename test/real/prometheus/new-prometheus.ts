// A Prometheus of this year, built from its Go module: Debian's is older than the receiver for OTLP. Without the
// discovery of clouds, which is most of what would have to be compiled, and without its page for people.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installed, type Recipe } from '../engine/cache.ts';
import { MissingError, runCommand } from '../engine/command.ts';

/** Of the module; the program calls itself 3.16.0. */
const VERSION = '0.316.0';

const RECIPE: Recipe = {
  name: `prometheus-${VERSION}`,
  capMs: 20 * 60_000,
  diskBytes: 3e9,
  async make(folder, deadlineAtMs) {
    // Go knows no `--version`.
    if (spawnSync('go', ['version']).status !== 0) throw new MissingError('no go on this machine');
    const command = `github.com/prometheus/prometheus/cmd/prometheus@v${VERSION}`;
    const env = { GOFLAGS: '-buildvcs=false -p=2', CGO_ENABLED: '0', GOBIN: folder };
    await runCommand('go', ['install', '-tags', 'remove_all_sd', command], { deadlineAtMs, env });
  },
};

export async function newPrometheus(): Promise<string> {
  return join(await installed(RECIPE), 'prometheus');
}
