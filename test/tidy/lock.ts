// What the lock file says is installed, and which of it runs in production. npm's own flags in the lock
// file are not enough for that: they call packages of optional peers production packages.
import { readText } from './sources.ts';

interface LockEntry {
  readonly name?: string;
  readonly version: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export interface Installed extends LockEntry {
  /** Where it is, from the root. */
  readonly path: string;
  readonly name: string;
}

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
}

export const MANIFEST = JSON.parse(readText('package.json')) as Manifest;
export const LOCK = JSON.parse(readText('package-lock.json')) as { readonly packages: Record<string, LockEntry> };

function installedAt(path: string): Installed | undefined {
  const entry = LOCK.packages[path];
  return entry === undefined
    ? undefined
    : { ...entry, path, name: entry.name ?? path.split('node_modules/').at(-1) ?? '' };
}

export const ALL: readonly Installed[] = Object.keys(LOCK.packages)
  .filter((path) => path !== '')
  .flatMap((path) => installedAt(path) ?? []);

/** Where Node would find a package from there: in the nearest node_modules upwards. */
function resolve(name: string, from: string): Installed | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const found = installedAt(`${folder}${folder === '' ? '' : '/'}node_modules/${name}`);
    if (found !== undefined || folder === '') return found;
  }
}

function needsOf(entry: LockEntry): string[] {
  const optional = entry.peerDependenciesMeta ?? {};
  const peers = Object.keys(entry.peerDependencies ?? {}).filter((name) => optional[name]?.optional !== true);
  return [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {}), ...peers];
}

/** All that is reached from our own `dependencies`. */
function walk(): Installed[] {
  const found = new Map<string, Installed>();
  const open = Object.keys(MANIFEST.dependencies).flatMap((name) => resolve(name, '') ?? []);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next.path)) continue;
    found.set(next.path, next);
    const { path } = next;
    open.push(...needsOf(next).flatMap((name) => resolve(name, path) ?? []));
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

export const PRODUCTION: readonly Installed[] = walk();
