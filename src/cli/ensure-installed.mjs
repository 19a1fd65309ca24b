// Runs before the npm scripts: installs the packages when they are missing or older than the lock
// file, so that a fresh clone needs no set-up step. Plain JavaScript for Node 18 and newer, because
// at this moment only the machine's own Node may be there. Imports nothing but Node.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');
/** Holds the hash of the lock file that was installed last. */
const stampFile = join(modules, '.rubato-lock-sha256');

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * Somebody may have run `npm ci` by hand, which leaves no stamp of ours but npm's own account of
 * what it installed. When that holds every package the lock file asks for, nothing is to be done.
 */
function installedByHand(lockText) {
  const accountText = readText(join(modules, '.package-lock.json'));
  if (accountText === undefined) return false;
  const account = JSON.parse(accountText).packages ?? {};
  const wanted = Object.entries(JSON.parse(lockText).packages ?? {}).filter(([path]) => path !== '');
  return wanted.every(([path, entry]) => {
    const found = account[path];
    // Optional packages for other systems are in the lock file but never on this disk.
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * npm itself runs on the Node that started this script's npm, never on the one in node_modules:
 * that one is replaced during the install.
 */
function installPackages() {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, PATH: path } };
  // The machine's Node may be older than what packages ask for; the pinned one, which runs them, is not.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env;
  if (npmScript !== undefined && npmNode !== undefined && existsSync(npmNode) && !npmNode.startsWith(modules)) {
    return spawnSync(npmNode, [npmScript, ...args], options).status;
  }
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' }).status;
}

function fail(message) {
  process.stderr.write(`rubato: ${message}\n`);
  process.exit(1);
}

/** The pinned Node comes as a package whose install script fetches it; without it scripts run on an older Node. */
function checkPinnedNode() {
  const found = ['node', 'node.exe'].some((name) => existsSync(join(modules, 'node', 'bin', name)));
  if (found) return;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 18)) return;
  fail(
    `the package "node" (Node 24) is installed without its program, and this machine's Node is ${process.versions.node}. ` +
      'npm was probably told not to run install scripts: run "npm rebuild node --ignore-scripts=false", or use Node 24.18 or newer.',
  );
}

const lockText = readText(join(root, 'package-lock.json'));
if (lockText === undefined)
  fail('package-lock.json is missing, so there is nothing to install from. Restore it from git.');
const lockHash = createHash('sha256').update(lockText).digest('hex');
if (readText(stampFile) !== lockHash) {
  if (!installedByHand(lockText)) {
    const why = existsSync(modules) ? 'node_modules is older than package-lock.json' : 'node_modules is missing';
    process.stderr.write(`rubato: ${why}: running npm ci (once, about a minute) …\n`);
    const status = installPackages();
    if (status !== 0)
      fail(
        `npm ci failed (exit ${status ?? 'unknown'}). Its output above says why; fix that and run the command again.`,
      );
    process.stderr.write('rubato: installed.\n');
  }
  writeFileSync(stampFile, lockHash);
}
checkPinnedNode();
