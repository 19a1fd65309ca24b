// How a bench tells its results: Markdown tables for people, one line a verdict, and the same as JSON.
// A verdict is one-sided: it says whether a target was met, never that a figure is "right".
import { cpus, loadavg } from 'node:os';
import { short } from './stats.ts';

export interface Verdict {
  readonly what: string;
  readonly value: number;
  /** The value is at most this. */
  readonly target: number;
  readonly unit: string;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface BenchResult {
  readonly name: string;
  readonly tables: readonly Table[];
  readonly verdicts: readonly Verdict[];
  /** Medians and spread, for machines. */
  readonly figures: unknown;
}

export function tableText({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [`### ${title}`, '', line(head), line(rule), ...rows.map(line), ''].join('\n');
}

/** Runnable processes, one a core, beside which a bench of small delays measures its neighbours. */
const BUSY_LOAD = 0.5;

function isMet({ value, target }: Verdict): boolean {
  return value <= target;
}

function verdictText(verdict: Verdict): string {
  const { what, value, target, unit } = verdict;
  return `${isMet(verdict) ? 'PASS' : 'MISS'} ${what}: ${short(value)} ${unit} (target ≤ ${target} ${unit})`;
}

/** What it ran on, in a sentence. */
export function machineText(): string {
  return `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`;
}

/** Runs a bench and prints what it found; says whether every target was met. */
export async function report(run: () => Promise<BenchResult>): Promise<boolean> {
  const before = loadavg()[0] ?? NaN;
  const { name, tables, verdicts, figures } = await run();
  const machine = machineText();
  const lines = [
    `## ${name}`,
    '',
    `${machine}, load average ${short(before)} before and ${short(loadavg()[0] ?? NaN)} after.`,
    ...(before > BUSY_LOAD ? ['The machine was busy before the bench began: a MISS may be its doing.'] : []),
    '',
    ...tables.map(tableText),
    ...verdicts.map((verdict) => `- ${verdictText(verdict)}`),
    '',
    '```json',
    JSON.stringify({ name, machine, verdicts: verdicts.map((each) => ({ ...each, met: isMet(each) })), figures }),
    '```',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return verdicts.every((each) => isMet(each));
}

/** A word on the way, for those who wait. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
