// Configuration files of sidecars under test, each in a folder of its own, gone when the test file is over.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atTheEnd } from './children.ts';

/** Writes it and gives its path. Whoever wants a reload writes there again. */
export function configFile(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-config-'));
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'rubato.yaml');
  writeFileSync(path, yaml);
  return path;
}
