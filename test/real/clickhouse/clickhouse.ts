// A real ClickHouse: its engine as a library from PyPI (chdb-core), behind a small bridge that speaks its HTTP
// interface. There is no server of ClickHouse in any registry of packages that a test may install from.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/program.ts';
import { installed, type Recipe } from '../engine/cache.ts';
import { MissingError, needCommand, runCommand } from '../engine/command.ts';
import { EngineProcess } from '../engine/engine-process.ts';

const VERSION = '26.9.0';
/** Of the package for Linux on x86-64, for every Python from 3.9 on. */
const SHA256 = '707e2ec3fe0f7953bac97942eaeb7a1ed1d66b1e56ecef3f0aa2130f61f6e735';

const RECIPE: Recipe = {
  name: `chdb-core-${VERSION}`,
  capMs: 10 * 60_000,
  // 170 MB that come, 560 MB unpacked.
  diskBytes: 2e9,
  make: install,
};

async function install(folder: string, deadlineAtMs: number): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new MissingError('it is for Linux on x86-64 only');
  const python = await needCommand('python3');
  const requirements = join(folder, 'requirements.txt');
  writeFileSync(requirements, `chdb-core==${VERSION} --hash=sha256:${SHA256}\n`);
  // What it needs for data frames (pandas, pyarrow: a third of a gigabyte) is not needed for SQL.
  const pip = ['-m', 'pip', 'install', '--no-deps', '--only-binary=:all:', '--require-hashes', '--quiet'];
  const target = ['--target', join(folder, 'packages'), '-r', requirements];
  await runCommand(python, [...pip, ...target], { deadlineAtMs });
}

export interface ClickHouse {
  /** For the exporter: the bridge takes what comes as it is, so nothing may be compressed. */
  readonly endpoint: string;
  /** One statement that answers nothing. */
  run(sql: string): Promise<unknown>;
  /** Rows of one query. */
  rows<Row>(sql: string): Promise<Row[]>;
  /** Runs each statement of the shipped views, in order of the files, in the database that the exporter has made. */
  createViews(): Promise<void>;
  stop(): Promise<void>;
}

export async function startClickHouse(): Promise<ClickHouse> {
  const folder = await installed(RECIPE);
  const server = await EngineProcess.start(
    {
      command: await needCommand('python3'),
      args: (port, scratch) => [join(ROOT, 'test/real/clickhouse/bridge.py'), scratch, String(port)],
      env: { PYTHONPATH: join(folder, 'packages') },
      healthPath: '/ping',
      startCapMs: 60_000,
    },
    () => undefined,
  );
  const run = async (sql: string): Promise<string> => {
    const response = await fetch(`${server.url}/`, { method: 'POST', body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(`${text} in: ${sql}`);
    return text;
  };
  return {
    endpoint: `${server.url}?compress=none`,
    run,
    async rows<Row>(sql: string): Promise<Row[]> {
      const settings = 'SETTINGS output_format_json_quote_64bit_integers = 0';
      const text = await run(`${sql} FORMAT JSONEachRow ${settings}`);
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as Row);
    },
    async createViews() {
      await run('USE otel');
      for (const statement of viewStatements()) await run(statement);
    },
    stop: () => server.stop(),
  };
}

/** The shipped files, as `clickhouse-client --multiquery` would run them. */
export function viewStatements(): string[] {
  const folder = join(ROOT, 'deploy/clickhouse');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().flatMap((name) => {
    const statements = readFileSync(join(folder, name), 'utf8').split(/;\s*$/m);
    return statements.filter((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim() !== '');
  });
}
