// A Vite plugin that writes down which files a build was made of, and their hashes, so that `cli/ensure-page.mjs`
// can tell without Vite whether the page is older than its sources. Runs at build time only.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What no module graph names and what changes the result all the same. */
const ALWAYS = [
  'package-lock.json',
  'src/page/vite.config.ts',
  'src/page/report/vite.config.ts',
  'src/page/build/shared-config.ts',
  'src/page/build/record-inputs.ts',
];

/** Paths from the root, sorted; packages are covered by the lock file. */
function ownFiles(moduleIds: Iterable<string>): string[] {
  const files = [...moduleIds]
    .map((id) => relative(ROOT, id.replace(/\?.*$/, '')).replaceAll('\\', '/'))
    .filter((path) => path.startsWith('src/'));
  return [...new Set([...ALWAYS, ...files])].toSorted();
}

export function recordInputs(): Plugin {
  let files: string[] = ALWAYS;
  return {
    name: 'rubato-record-inputs',
    apply: 'build',
    buildEnd() {
      files = ownFiles(this.getModuleIds());
    },
    // The folder is the one that is written to, which whoever starts the build may choose.
    writeBundle({ dir = '' }) {
      const hashes = files.map((path) => [
        path,
        createHash('sha256')
          .update(readFileSync(join(ROOT, path)))
          .digest('hex'),
      ]);
      writeFileSync(join(dir, 'inputs.json'), `${JSON.stringify(Object.fromEntries(hashes), undefined, 2)}\n`);
    },
  };
}
