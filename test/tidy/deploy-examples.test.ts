// Goal: no example and no page about deploying tells people a command, a flag or a file that does not exist, and the
// chart's page tells of every value there is. Method: what the texts name is looked up in the program and the tree.
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KEY_NAMES } from '../../src/config/keys.ts';
import { runCli } from '../unit/cli/fake-io.ts';
import { filesBelow, readText, ROOT } from './sources.ts';

const TEXTS = filesBelow('deploy', ['.md', '.yaml', '.conf', '.cfg', '.tpl', '.service']).filter(
  (path) => !path.startsWith('deploy/hops/'),
);

/** Commands of rubato as a text shows them, each with its flags; a line may go on behind a backslash. */
function commandsOf(text: string): { readonly command: string; readonly flags: readonly string[] }[] {
  const whole = text.replaceAll(/\\\n[#\s]*/g, ' ');
  return [
    ...whole.matchAll(/\brubato (serve|demo|doctor|rules|probe|grade|replay|floor|dashboards)\b([^\n`>|]*)/g),
  ].map(([, command = '', rest = '']) => ({ command, flags: rest.match(/--[a-z][a-z-]*/g) ?? [] }));
}

async function flagsOf(command: string): Promise<string[]> {
  const { exitCode, out } = await runCli([command, '--help']);
  expect(exitCode, `rubato ${command} --help`).toBe(0);
  return out.match(/--[a-z][a-z-]*/g) ?? [];
}

test('a flag that does not exist would be found', async () => {
  const [{ command, flags } = { command: '', flags: [] }] = commandsOf(
    'x rubato serve --upstream http://a \\\n  --lisen b',
  );
  expect(flags).toEqual(['--upstream', '--lisen']);
  const known = await flagsOf(command);
  expect(flags.filter((flag) => !known.includes(flag))).toEqual(['--lisen']);
});

test('every command of rubato that is shown has the flags that it is shown with', async () => {
  const shown = TEXTS.flatMap((path) => commandsOf(readText(path)).map((each) => ({ path, ...each })));
  expect(shown.length).toBeGreaterThan(8);
  for (const { path, command, flags } of shown) {
    const known = await flagsOf(command);
    expect(
      flags.filter((flag) => !known.includes(flag)),
      `${path}: rubato ${command}`,
    ).toEqual([]);
  }
});

describe('the page of the examples', () => {
  const page = readText('deploy/examples/README.md');
  const named = [...page.matchAll(/^\| `([\w.-]+)` \|/gm)].map(([, name]) => name);

  test('names every example, and only those that there are', () => {
    const there = filesBelow('deploy/examples', ['']).map((path) => path.slice('deploy/examples/'.length));
    expect(named.toSorted()).toEqual(there.filter((name) => name !== 'README.md').toSorted());
  });

  test('starts the engines as README.md does', () => {
    // Of each command what README.md has must be in the example as well, which may say more.
    const whole = page.replaceAll(/\\\n\s*/g, '');
    const rows = readText('README.md').matchAll(/^\| (vLLM|SGLang) \| `([^`]+)` \| `([^`]+)` \|$/gm);
    for (const [, engine, command = '', flags = ''] of rows) {
      for (const part of [...command.matchAll(/--[a-z-]+(?: [\w:./]+)?/g)].map(([flag]) => flag))
        expect(whole, engine).toContain(part);
      expect(whole, engine).toContain(`rubato serve ${flags}`);
    }
  });
});

describe('the Helm chart', () => {
  const values = parse(readText('deploy/helm/rubato/values.yaml')) as Record<string, unknown>;
  const schema = JSON.parse(readText('deploy/helm/rubato/values.schema.json')) as SchemaPart;
  interface SchemaPart {
    readonly type?: unknown;
    readonly additionalProperties?: unknown;
    readonly properties?: Readonly<Record<string, SchemaPart>>;
  }

  test('has a row for every value in its table, and none for what is none', () => {
    const page = readText('deploy/helm/rubato/README.md');
    const cells = [...page.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/(?<=`)[\w.]+(?=`)/g) ?? [],
    );
    const names = new Set(cells.filter((name) => !name.startsWith('.')).map((name) => name.split('.')[0]));
    expect([...names].toSorted()).toEqual(Object.keys(values).toSorted());
  });

  test('knows every value in its schema, as deep as there are defaults, and refuses others', () => {
    const missing = (part: SchemaPart, value: unknown, path: string): string[] => {
      if (value === null || typeof value !== 'object' || Array.isArray(value) || part.properties === undefined)
        return [];
      expect(part.additionalProperties, `${path} takes anything`).toBe(false);
      return Object.entries(value).flatMap(([name, inner]) => {
        const known = part.properties?.[name];
        return known === undefined ? [`${path}.${name}`] : missing(known, inner, `${path}.${name}`);
      });
    };
    expect(missing(schema, values, '')).toEqual([]);
  });

  test('is of the version of the program, and so are all other files', () => {
    const { version } = JSON.parse(readText('package.json')) as { readonly version: string };
    const chart = parse(readText('deploy/helm/rubato/Chart.yaml')) as Record<string, string>;
    expect([chart['version'], chart['appVersion']]).toEqual([version, version]);
    expect(readText('deploy/helm/rubato/templates/_helpers.tpl')).toContain(`default "${version}"`);
    for (const path of ['deploy/compose.yaml', ...['sidecar', 'plain'].map(kustomization)])
      expect(readText(path), path).toMatch(new RegExp(`rubato(?:, newTag)?: ?${version.replaceAll('.', '\\.')}`));
  });

  test('comes with rules and dashboards that are there', () => {
    for (const path of ['rubato.rules.yml', 'dashboards'])
      expect(existsSync(`${ROOT}/deploy/helm/rubato/files/${path}`), path).toBe(true);
  });
});

function kustomization(layout: string): string {
  return `deploy/kubernetes/overlays/${layout}/kustomization.yaml`;
}

test('no page names a key in the form of a flag that no command has', async () => {
  const known = new Set([
    ...KEY_NAMES.map((name) => `--${name}`),
    ...(await flagsOf('demo')),
    ...(await flagsOf('rules')),
  ]);
  // Flags of engines and of other programs are in blocks of commands, or behind their program's name.
  const alone = readText('deploy/README.md').matchAll(/`(--[a-z-]+)[^`]*`/g);
  for (const [, flag = ''] of alone) expect(known, flag).toContain(flag);
});
