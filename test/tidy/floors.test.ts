// Goal: imports go down the floors only, without cycles, and the map that people read is the one the
// code keeps. Method: every import of src/ is held against the table in floors.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FLOORS, folderOf, mayUsePackage } from './floors.ts';
import { filesBelow, type Import, importsOf, readText, ROOT } from './sources.ts';

const FILES = filesBelow('src', ['.ts', '.tsx', '.mjs', '.css']);
const IMPORTS = FILES.flatMap((path) => importsOf(path));

function wrongFolder({ from, file }: Import): string | undefined {
  if (file === undefined) return undefined;
  const [own, other] = [folderOf(from), folderOf(file)];
  // main.ts stands on top of all floors, and nothing imports it.
  if (own === '' || own === other) return undefined;
  return FLOORS[own]?.folders.includes(other) === true ? undefined : `${from} must not import ${file}`;
}

function wrongPackage({ from, specifier, file }: Import): string | undefined {
  if (file !== undefined || specifier.startsWith('node:')) return undefined;
  const floor = FLOORS[folderOf(from)];
  return floor !== undefined && mayUsePackage(floor, specifier) ? undefined : `${from} must not import ${specifier}`;
}

/** The first way back to where a search began, if there is one. */
function findCycle(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>();
  const paths: string[][] = [[start]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const next of graph.get(path.at(-1) ?? '') ?? []) {
      if (next === start) return [...path, next];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
}

describe('imports', () => {
  test('are found at all', () => {
    expect(IMPORTS.length).toBeGreaterThan(FILES.length);
  });

  test('go down the floors only', () => {
    expect(IMPORTS.map((each) => wrongFolder(each)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  test('take packages only where the floor has them', () => {
    expect(IMPORTS.map((each) => wrongPackage(each)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  test('take pino in one file only', () => {
    const files = new Set(IMPORTS.filter(({ specifier }) => specifier === 'pino').map(({ from }) => from));
    expect(files.size).toBeLessThanOrEqual(1);
  });

  test('make no cycle', () => {
    const graph = new Map(FILES.map((path) => [path, importsOf(path).flatMap(({ file }) => file ?? [])]));
    expect(FILES.map((path) => findCycle(path, graph)).filter((cycle) => cycle !== undefined)).toEqual([]);
  });

  test('of one file lead to a file that exists', () => {
    const known = new Set(FILES);
    expect(IMPORTS.filter(({ file }) => file !== undefined && !known.has(file))).toEqual([]);
  });
});

/** Everything that a file brings along when it runs. */
function runsWith(start: string): Import[] {
  const files = [start];
  const found: Import[] = [];
  for (let path = files.pop(); path !== undefined; path = files.pop()) {
    const fresh = importsOf(path).filter(
      ({ isTypeOnly, file }) => !isTypeOnly && found.every((each) => each.file !== file || file === undefined),
    );
    found.push(...fresh);
    files.push(...fresh.flatMap(({ file }) => file ?? []));
  }
  return found;
}

describe('the page', () => {
  const isBuild = (path: string): boolean => path.endsWith('vite.config.ts') || path.startsWith('src/page/build/');
  const files = FILES.filter((path) => path.startsWith('src/page/') && !isBuild(path));

  test('runs without Node, whatever it imports', () => {
    const outside = files.flatMap((path) => runsWith(path)).filter(({ file }) => file === undefined);
    expect(outside.length).toBeGreaterThan(0);
    expect(outside.filter(({ specifier }) => !/^(?:preact|uplot)(?:\/|$)/.test(specifier))).toEqual([]);
  });
});

describe('who watches a sidecar', () => {
  test('takes from telemetry/ the types of the feed and the model of it, which brings nothing along', () => {
    const taken = IMPORTS.filter(({ from, file }) => folderOf(from) === 'client' && file?.startsWith('src/telemetry/'));
    const run = [...new Set(taken.filter(({ isTypeOnly }) => !isTypeOnly).map(({ file }) => file ?? ''))];
    expect(run).toEqual(['src/telemetry/live/model.ts']);
    expect(run.flatMap((path) => runsWith(path)).filter(({ file }) => file === undefined)).toEqual([]);
  });
});

describe('the table of floors', () => {
  test('lets a folder import only from below', () => {
    for (const [name, { level, folders }] of Object.entries(FLOORS)) {
      for (const folder of folders)
        expect(FLOORS[folder]?.level ?? Infinity, `${name} → ${folder}`).toBeLessThan(level);
    }
  });
});

describe('the map in src/README.md', () => {
  const rows = [...readText('src/README.md').matchAll(/^\| (\d+) \| `([a-z]+)\/` \|(?:[^|]*\|)?([^|]*)\|([^|]*)\|$/gm)];
  const listed = (cell: string | undefined): string[] =>
    [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').toSorted();

  test('names the folders that exist', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && filesBelow(`src/${entry.name}`, ['']).length > 0)
      .map(({ name }) => name);
    expect(rows.map((row) => row[2]).toSorted()).toEqual(folders.toSorted());
  });

  test('says of each what the code is held to', () => {
    for (const [, level, name = '', folders, packages] of rows) {
      const floor = FLOORS[name];
      expect(floor, name).toBeDefined();
      expect(Number(level), name).toBe(floor?.level);
      expect(listed(folders), name).toEqual(floor?.folders.toSorted());
      expect(listed(packages), name).toEqual(floor?.packages.map((each) => each.replace(/\/$/, '/*')).toSorted());
    }
  });
});
