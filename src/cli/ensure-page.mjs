// Runs before the npm scripts that serve the live page: builds it when it is missing or older than its sources,
// which takes seconds. Never fails: without the page's builder (an install without development packages) or with
// a build that goes wrong, the sidecar runs all the same and says at `/` what is missing. Imports nothing but Node.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
/** Each with the account of what it was built from (`page/build/record-inputs.ts`). */
const builds = [
  { config: 'src/page/vite.config.ts', account: 'dist/page/inputs.json' },
  { config: 'src/page/report/vite.config.ts', account: 'dist/page/report/inputs.json' },
];

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function isFresh(account) {
  try {
    const inputs = Object.entries(JSON.parse(readFileSync(join(root, account), 'utf8')));
    return inputs.every(([path, hash]) => sha256(join(root, path)) === hash);
  } catch {
    // No account, a broken one, or one that names a file that is gone: all the same as old.
    return false;
  }
}

function build(config) {
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' };
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', '--config', config], options);
  if (status === 0) return true;
  process.stderr.write(
    `rubato: the live page could not be built (${config}), the sidecar starts without it.\n${stderr}`,
  );
  return false;
}

// The first build empties the folder that the second one writes into, so whatever follows an old one is old too.
const present = builds.filter(({ config }) => existsSync(join(root, config)));
const firstOld = present.findIndex(({ account }) => !isFresh(account));
if (firstOld !== -1 && existsSync(vite)) {
  process.stderr.write('rubato: building the live page (some seconds, only after a change) …\n');
  present.slice(firstOld).every(({ config }) => build(config));
}
