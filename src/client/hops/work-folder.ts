// The folder a hop runs in: made anew for each run, with the recipe's files in it and their placeholders
// filled in. Knows nothing of processes.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What a placeholder `${NAME}` in a recipe or one of its files stands for. */
export interface Placeholders {
  readonly UPSTREAM_HOST: string;
  readonly UPSTREAM_PORT: string;
  readonly LISTEN_PORT: string;
  /** A second free port, for those who insist on serving something beside. */
  readonly SIDE_PORT: string;
  readonly WORK_DIR: string;
}

/** Only our own names are filled in: most servers have variables of their own that look alike. */
export function fill(text: string, placeholders: Placeholders): string {
  return text.replaceAll(
    /\$\{(UPSTREAM_HOST|UPSTREAM_PORT|LISTEN_PORT|SIDE_PORT|WORK_DIR)\}/g,
    (_, name: keyof Placeholders) => placeholders[name],
  );
}

export function makeWorkFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-hop-'));
  // Servers that give up root's rights must still get in.
  chmodSync(folder, 0o755);
  return folder;
}

/** Copies files of a recipe there; `owner` gets them, and the folder. */
export function fillWorkFolder(
  files: readonly string[],
  from: string,
  placeholders: Placeholders,
  owner: number | undefined,
): void {
  const { WORK_DIR: folder } = placeholders;
  for (const name of files) {
    const path = join(folder, basename(name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fill(readFileSync(join(from, name), 'utf8'), placeholders));
    if (owner !== undefined) chownSync(path, owner, owner);
  }
  if (owner !== undefined) chownSync(folder, owner, owner);
}
