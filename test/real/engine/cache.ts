// Where installed engines stay between runs: a folder an engine and version in the user's cache. A folder
// appears there only when all of it is made, so a run that was cut short leaves nothing half done.
import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { MissingError } from './command.ts';

const ROOT =
  process.env['RUBATO_REAL_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rubato-real');
/** The last file of a folder to be written: how long making it took. */
const DONE = 'installed.json';

export interface Recipe {
  /** Engine and version. */
  readonly name: string;
  /** All that is needed must be made within this time. */
  readonly capMs: number;
  readonly diskBytes: number;
  make(folder: string, deadlineAtMs: number): Promise<void>;
}

/** The folder of an engine, made now if it is not there. Throws `MissingError` when it cannot be. */
export async function installed(recipe: Recipe): Promise<string> {
  const folder = join(ROOT, recipe.name);
  if (existsSync(join(folder, DONE))) return folder;
  mkdirSync(ROOT, { recursive: true });
  const free = statfsSync(ROOT);
  if (free.bavail * free.bsize < recipe.diskBytes)
    throw new MissingError(`less than ${Math.ceil(recipe.diskBytes / 1e9)} GB of free disk under ${ROOT}`);
  const staging = join(ROOT, `.${recipe.name}-${process.pid}`);
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging);
  process.stderr.write(`real engines: installing ${recipe.name} into ${ROOT}, at most ${recipe.capMs / 60_000} min\n`);
  const startedAtMs = Date.now();
  try {
    await recipe.make(staging, startedAtMs + recipe.capMs);
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    writeFileSync(join(staging, DONE), JSON.stringify({ seconds }));
    process.stderr.write(`real engines: installed ${recipe.name} in ${seconds} s\n`);
    // What lies there now has no mark of being complete, so it is nobody's.
    rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return folder;
}
