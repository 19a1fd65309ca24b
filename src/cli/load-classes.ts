// The classes of a configuration, for commands that ask for nothing else of it: a file without an upstream, as given
// beside --upstream, will do for them.
import { readFileSync } from 'node:fs';
import { NO_UPSTREAM } from '../config/cross-checks.ts';
import { loadConfig, type Loaded } from '../config/load.ts';
import type { Io } from './io.ts';

const ANY_UPSTREAM = 'http://127.0.0.1:1';

export function loadClasses(path: string | undefined, io: Io): Loaded {
  const load = (upstream?: string): Loaded =>
    loadConfig({
      flags: { ...(path !== undefined && { config: path }), ...(upstream !== undefined && { upstream }) },
      env: io.env,
      execArgv: io.execArgv,
      platform: io.platform,
      readFile: (name) => readFileSync(name, 'utf8'),
      checks: [],
    });
  const loaded = load();
  return 'faults' in loaded && loaded.faults.includes(NO_UPSTREAM) ? load(ANY_UPSTREAM) : loaded;
}
