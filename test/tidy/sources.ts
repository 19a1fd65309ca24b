// Reads the source tree for the tidy tests: files, their imports, and text without comments.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Files below a folder, as paths from the root with forward slashes. */
export function filesBelow(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted();
}

/** Line comments and block comments out; good enough for code without `//` inside strings of imports. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

export interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** Path from the root when it is a file of ours. */
  readonly file: string | undefined;
  readonly isTypeOnly: boolean;
}

const IMPORTS = [
  /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm,
  /\bimport\((\s*)'([^']+)'\)/g,
  // Workers are loaded by URL, which is as much of a dependency as an import.
  /\bnew URL\((\s*)'(\.[^']+\.(?:ts|mjs))'/g,
];

export function importsOf(path: string): Import[] {
  const text = withoutComments(readText(path));
  return IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match): Import => {
      const specifier = match[2] ?? '';
      const file = specifier.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(path), specifier)) : undefined;
      return { from: path, specifier, file, isTypeOnly: (match[1] ?? '').startsWith('type') };
    }),
  );
}
