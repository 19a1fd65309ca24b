// What tests of the load command share: a folder for its files, small servers that end with their test, the real
// command, and how its files are read. The folder starts and ends with the test file.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { type Ran, runCli } from '../unit/cli/fake-io.ts';
import { type Behaviour, FakeServer } from '../unit/client/load/fake-server.ts';

export interface LoadBench {
  readonly folder: string;
  /** Stopped when a test is over, the last one first. */
  readonly open: { stop(): Promise<void> }[];
  serve(behaviour?: Behaviour): Promise<FakeServer>;
}

/** Call it at the top of a test file. */
export function useLoadBench(): LoadBench {
  const folder = mkdtempSync(join(tmpdir(), 'rubato-load-'));
  const open: LoadBench['open'] = [];
  afterEach(async () => {
    for (const each of open.splice(0).toReversed()) await each.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return { folder, open, serve: (behaviour = {}) => FakeServer.start(behaviour, open) };
}

export function load(url: string, ...flags: readonly string[]): Promise<Ran> {
  return runCli(['load', url, '--model', 'm', ...flags]);
}

/** Those of a file that ends with a line. */
export function fileLines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}

/** The first four columns of a CSV of steps: value, class, sent, ok. */
export function stepColumns(path: string): string[] {
  return fileLines(path).map((line) => line.split(',').slice(0, 4).join());
}
