// Runs before the npm scripts that serve the live page: builds it when it is missing or older than its sources,
// which takes seconds. Never fails: without the page's builder (an install without development packages) or with
// a build that goes wrong, the sidecar runs all the same, with the page of before or none. Whoever reads the page
// meanwhile, or builds it too, finds a whole one: it changes by a rename. Imports nothing but Node.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const page = join(root, 'dist', 'page');
/** Each with its place in the page's folder, where its account lies of what it was built from. */
const builds = [
  { config: 'src/page/vite.config.ts', place: '.' },
  { config: 'src/page/report/vite.config.ts', place: 'report' },
];

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function isFresh({ place }) {
  try {
    const account = readFileSync(join(page, place, 'inputs.json'), 'utf8');
    const inputs = Object.entries(JSON.parse(account));
    return inputs.every(([path, hash]) => sha256(join(root, path)) === hash);
  } catch {
    // No account, a broken one, or one that names a file that is gone: all the same as old.
    return false;
  }
}

function build({ config, place }, folder) {
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' };
  const flags = ['--outDir', join(folder, place), '--config', config];
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', ...flags], options);
  if (status === 0) return true;
  process.stderr.write(
    `rubato: the live page could not be built (${config}); it stays as it was, or missing.\n${stderr}`,
  );
  return false;
}

/** Of two who build at once, the page of either is as good. */
function putInPlace(folder) {
  const old = `${folder}-before`;
  try {
    if (existsSync(page)) renameSync(page, old);
    renameSync(folder, page);
  } catch {
    // The other one was faster.
  }
  rmSync(old, { recursive: true, force: true });
}

// The first build empties the folder that the second one writes into, so whatever follows an old one is old too.
const present = builds.filter(({ config }) => existsSync(join(root, config)));
const firstOld = present.findIndex((each) => !isFresh(each));
if (firstOld !== -1 && existsSync(vite)) {
  process.stderr.write('rubato: building the live page (some seconds, only after a change) …\n');
  const folder = `${page}-${process.pid}`;
  if (firstOld > 0) cpSync(page, folder, { recursive: true });
  if (present.slice(firstOld).every((each) => build(each, folder))) putInPlace(folder);
  rmSync(folder, { recursive: true, force: true });
}
