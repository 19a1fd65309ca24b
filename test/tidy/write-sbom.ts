// `npm run sbom`: the list of all packages that run in production, as CycloneDX JSON on standard output.
// npm makes it, from a lock file without what only developers need: left to itself with --omit=dev, npm
// 11 also leaves out production packages that some development package names as its peer.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCK, MANIFEST, PRODUCTION } from './lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubato-sbom-'));
try {
  const { devDependencies: _ours, ...manifest } = MANIFEST;
  const { devDependencies: _locked, ...root } = LOCK.packages[''] as { devDependencies?: unknown };
  const kept = Object.fromEntries(PRODUCTION.map(({ path }) => [path, LOCK.packages[path]]));
  // An override of a package that is not there any more would refer to nothing.
  const names = new Set(PRODUCTION.map(({ name }) => name));
  const overrides = Object.fromEntries(Object.entries(MANIFEST.overrides).filter(([name]) => names.has(name)));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, overrides }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...LOCK, packages: { '': root, ...kept } }));
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  // npm is a script on Windows, so it needs a shell there.
  const options = { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' } as const;
  process.exitCode = spawnSync('npm', args, options).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
