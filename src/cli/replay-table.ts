// The table of `rubato replay`: one row an exchange, ms for people. Absent figures are a dash.
import type { Checked } from './replay-line.ts';

const NS_PER_MS = 1e6;

function verdictCell(verdict: Checked['delivery'] | Checked['hop']): string {
  if (verdict === undefined) return '–';
  return verdict.way === undefined ? verdict.word : `${verdict.word} ${verdict.way}`;
}

/** What was promised and not kept, by name; `unknown` where one of them cannot be judged. */
function sloCell(slo: Checked['slo']): string {
  if (slo?.good === undefined) return '–';
  const missed = slo.objectives.filter(({ met }) => met === 'false').map(({ name }) => name);
  if (missed.length > 0) return `missed ${missed.join(' ')}`;
  return slo.good === 'true' ? 'good' : 'unknown';
}

interface Column {
  readonly title: string;
  readonly width: number;
  readonly cell: (checked: Checked) => string;
}

function ms(ns: number | undefined): string {
  return ns === undefined ? '–' : (ns / NS_PER_MS).toFixed(1);
}

const COLUMNS: readonly Column[] = [
  { title: 'exchange', width: -14, cell: ({ id }) => id ?? '?' },
  { title: 'class', width: -12, cell: (checked) => checked.class ?? '?' },
  { title: 'outcome', width: -14, cell: ({ outcome }) => outcome ?? '?' },
  { title: 'TTFT ms', width: 9, cell: ({ figures }) => ms(figures?.ttftNs) },
  { title: 'gap p50', width: 8, cell: ({ figures }) => ms(figures?.gapsReceived.p50Ns) },
  { title: 'gap max', width: 8, cell: ({ figures }) => ms(figures?.gapsReceived.maxNs) },
  { title: 'stalls', width: 6, cell: ({ figures }) => String(figures?.stallCount ?? '–') },
  { title: 'total ms', width: 10, cell: ({ figures }) => ms(figures?.durationNs) },
  { title: 'delivery', width: -17, cell: ({ delivery }) => verdictCell(delivery) },
  { title: 'hop', width: -17, cell: ({ hop }) => verdictCell(hop) },
  { title: 'objectives', width: -24, cell: ({ slo }) => sloCell(slo) },
  { title: 'figures', width: -9, cell: ({ state }) => (state === 'equal' ? 'equal' : 'DIFFERENT') },
];

/** A negative width sets the text to the left, as in printf. */
function line(cells: readonly string[]): string {
  const padded = COLUMNS.map(({ width }, index) => {
    const cell = cells[index] ?? '';
    return width < 0 ? cell.padEnd(-width) : cell.padStart(width);
  });
  return padded.join('  ').trimEnd();
}

export function replayHead(): string {
  return line(COLUMNS.map(({ title }) => title));
}

export function replayRow(checked: Checked): string {
  return line(COLUMNS.map(({ cell }) => cell(checked)));
}
