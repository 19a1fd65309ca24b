// Goal: what is installed is what was chosen: exact versions from a lock file with hashes, no code that
// runs while installing, nothing below the fix of an advisory that matters to a proxy, and a list of
// parts (SBOM) that can be made at any time. Method: package.json and the lock file are read; npm makes the list.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ADVISORIES, BANNED, compareVersions, isFixed } from './advisories.ts';
import { ALL, MANIFEST, PRODUCTION } from './lock.ts';
import { ROOT } from './sources.ts';

describe('the production tree', () => {
  test('is found at all', () => {
    const names = new Set(PRODUCTION.map(({ name }) => name));
    expect(Object.keys(MANIFEST.dependencies).filter((name) => !names.has(name))).toEqual([]);
  });

  test('runs no code while it is installed', () => {
    expect(PRODUCTION.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ path }) => path)).toEqual([]);
  });

  test('holds no package twice, but for those that are known', () => {
    const names = PRODUCTION.map(({ name }) => name);
    const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    const known = [
      // ajv still wants the older line of fast-uri; fastify has moved on.
      'fast-uri',
      // The gRPC client reads .proto files by a package that brings a command line of its own, yargs 17, whose parts
      // measure and cut text for terminals as log-update does for `rubato top`, each by its own line of them.
      'ansi-regex',
      'ansi-styles',
      'is-fullwidth-code-point',
      'string-width',
      'strip-ansi',
      'wrap-ansi',
    ];
    expect([...twice].toSorted()).toEqual(known.toSorted());
  });

  test('does not grow unseen', () => {
    // 116 without `rubato top`; its two packages bring 23, ten of them the second copies above.
    expect(PRODUCTION.length).toBeLessThanOrEqual(140);
  });
});

describe('the whole tree', () => {
  test('is locked by hash, every package of it', () => {
    expect(ALL.filter(({ integrity }) => integrity?.startsWith('sha512-') !== true).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('is asked for by exact versions', () => {
    const asked = { ...MANIFEST.dependencies, ...MANIFEST.devDependencies, ...MANIFEST.overrides };
    const loose = Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+$|^\$[a-z]/.test(version));
    expect(loose).toEqual([]);
  });

  test('runs code while it is installed for one package only, the pinned Node', () => {
    expect(ALL.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)).toEqual(['node']);
  });

  test('holds no banned package', () => {
    expect(ALL.filter(({ name }) => BANNED[name] !== undefined).map(({ path }) => path)).toEqual([]);
  });

  test.each(ADVISORIES)('has the fix of $package for $ids', (advisory) => {
    const unfixed = ALL.filter(({ name, version }) => name === advisory.package && !isFixed(version, advisory));
    expect(unfixed.map(({ path, version }) => `${path} ${version}`)).toEqual([]);
  });
});

describe('the Node that users may run it on', () => {
  test('has every fix, from the lowest version of each line on', () => {
    const lowest = [...MANIFEST.engines.node.matchAll(/>=(\d+\.\d+\.\d+)/g)].map((match) => match[1] ?? '');
    expect(lowest.length).toBeGreaterThan(0);
    const unfixed = ADVISORIES.filter((advisory) => advisory.package === 'node').flatMap((advisory) =>
      lowest.filter((version) => !isFixed(version, advisory)),
    );
    expect(unfixed).toEqual([]);
  });
});

describe('the table of advisories', () => {
  test('orders versions by number, not by letter', () => {
    expect(compareVersions('7.9.0', '7.30.2')).toBeLessThan(0);
    expect(compareVersions('12.6.5', '12.6.5')).toBe(0);
    expect(compareVersions('8.0.0', '7.30.2')).toBeGreaterThan(0);
  });

  test('takes a release line for fixed when its own version has the fix', () => {
    const advisory = { package: 'any', ids: [], danger: '', fixedIn: ['6.27.0', '7.28.0', '8.5.0'] };
    const versions = ['5.29.0', '6.26.9', '6.27.0', '7.27.9', '7.28.0', '8.4.0', '8.5.0', '9.0.0'];
    expect(versions.filter((version) => isFixed(version, advisory))).toEqual(['6.27.0', '7.28.0', '8.5.0', '9.0.0']);
  });
});

describe('the list of parts', () => {
  test('is made by `npm run sbom` and names every production package with its version', () => {
    // A shell on Windows only, where npm is a script.
    const options = { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' } as const;
    const text = execFileSync('npm', ['run', '--silent', 'sbom'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    const bom = JSON.parse(text) as {
      bomFormat: string;
      components: { name: string; group?: string; version: string }[];
    };
    expect(bom.bomFormat).toBe('CycloneDX');
    const listed = new Set(
      bom.components.map(({ name, group, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`),
    );
    expect(PRODUCTION.filter(({ name, version }) => !listed.has(`${name}@${version}`)).map(({ path }) => path)).toEqual(
      [],
    );
  }, 60_000);
});
