// Runs the whole corpus against the proxies and draws the table for test/README.md.
import { CORPUS, type Case, type Duty } from './corpus.ts';
import { probe, WatchingEngine } from './probe.ts';
import type { StartProxy } from './proxies.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface Column {
  readonly name: string;
  readonly version: string;
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** Everything to one proxy, one request after the other, each on a connection of its own. */
export async function columnOf(start: StartProxy): Promise<Column> {
  const engine = await WatchingEngine.start();
  const proxy = await start(engine.port);
  const verdicts = new Map<string, Verdict>();
  try {
    for (const { name, bytes } of CORPUS) verdicts.set(name, verdictOf(bytes, await probe(proxy.port, engine, bytes)));
  } finally {
    await proxy.stop();
    engine.stop();
  }
  return { name: proxy.name, version: proxy.version, verdicts };
}

const HEADINGS: Readonly<Record<Duty, string>> = {
  refuse: 'must be refused',
  may: 'may be refused',
  pass: 'must pass',
};

function countOf(column: Column, duty: Duty): string {
  const cases = CORPUS.filter((each) => each.duty === duty);
  const kinds = cases.map(({ name }) => column.verdicts.get(name)?.kind);
  const count = kinds.filter((kind) => (duty === 'pass' ? kind === 'passed' : kind === 'refused')).length;
  return `${count} of ${cases.length}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function tableOf(columns: readonly Column[]): string {
  const names = columns.map(({ name, version }) => `${name}${version === 'this version' ? '' : ` ${version}`}`);
  const line = ({ name, section, duty }: Case): string =>
    row([name, section, HEADINGS[duty], ...columns.map(({ verdicts }) => verdicts.get(name)?.words ?? '–')]);
  return [
    row(['in sum', ...names]),
    row(['---', ...names.map(() => '---')]),
    row(['refused of what must be', ...columns.map((column) => countOf(column, 'refuse'))]),
    row(['refused of what may be', ...columns.map((column) => countOf(column, 'may'))]),
    row(['passed unaltered of what must pass', ...columns.map((column) => countOf(column, 'pass'))]),
    '',
    row(['request', 'RFC 9112, or', 'it', ...names]),
    row(['---', '---', '---', ...names.map(() => '---')]),
    ...CORPUS.map((each) => line(each)),
  ].join('\n');
}

const BLOCK = /(<!-- made by npm run test:differential -->)[\s\S]*?(<!-- end -->)/;

export function withTable(text: string, table: string): string {
  return text.replace(BLOCK, (_, start: string, end: string) => `${start}\n\n${table}\n\n${end}`);
}
