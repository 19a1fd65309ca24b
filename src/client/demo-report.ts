// The summary a person reads when the demo is over: a pure function from reports to plain text of
// at most 100 columns. Colour only underlines what the words already say.
import type { Report } from '../judge/report.ts';
import { PARTS, summarise, type ClassSummary, type DemoSummary, type Part } from './demo-figures.ts';
import { drawHistogram } from './histogram-text.ts';
import { ABSENT, showCount, showMs, type Spread } from './spread.ts';

export interface DemoReportInput {
  readonly reports: readonly Report[];
  /** Where clients send to, and where the admin port listens. */
  readonly url: string;
  readonly adminUrl: string;
  /** Absent when no records were written. */
  readonly recordFile: string | undefined;
  /** The process stays up after the summary, so its addresses can be visited. */
  readonly staysUp: boolean;
  readonly color: boolean;
}

const BAR_COLUMNS = 56;
/** Classes shown with a histogram of their own; the built-in ones are two. */
const HISTOGRAMS_MAX_COUNT = 4;
/** Classes that fit side by side; the parts table has two columns for each and more words. */
const CLASS_COLUMNS_MAX_COUNT = 4;
const PART_CLASSES_MAX_COUNT = 2;

/** The whole summary, with a line end at its end. */
export function renderDemoReport(input: DemoReportInput): string {
  const summary = summarise(input.reports);
  const sizes = summary.classes.map((one) => `${one.name} ${showCount(one.exchangeCount)}`).join(', ');
  if (input.reports.length === 0) {
    return [
      'rubato demo: the sidecar told of no exchange, so there is nothing to show.',
      ...nextLines(summary, input),
      '',
    ].join('\n');
  }
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['How they ended', outcomeLines(summary)],
    ['Time to first token: request head received to first token handed to the kernel, ms', ttftLines(summary)],
    ['What it is made of, ms', partLines(summary)],
    ['Gaps between reads that carry output, as received from the engine, ms', gapLines(summary)],
    ['How the pooled gaps spread, ms', histogramLines(summary)],
    ['Worst stream', worstLines(summary)],
    ['What rubato itself cost, ms', costLines(summary)],
    ['Where to look next', nextLines(summary, input)],
  ];
  const text = [
    `rubato demo: ${showCount(input.reports.length)} exchanges (${sizes}) through ${input.url}`,
    `"${ABSENT}" means unknown, or too few values to say (p95 needs 20, p99 needs 100). It never means zero.`,
  ];
  for (const [title, lines] of sections) {
    text.push('', input.color ? `\u001b[1m${title}\u001b[22m` : title, ...lines);
  }
  return `${text.join('\n')}\n`;
}

function outcomeLines({ classes, outcomes }: DemoSummary): string[] {
  const shown = classes.slice(0, CLASS_COLUMNS_MAX_COUNT);
  const names = shown.map((one) => one.name.slice(0, 14));
  const rows = outcomes.map((outcome) => {
    // Here a zero is a count like any other, not something unknown.
    const counts = shown.map((one) => showCount(one.outcomeCounts.get(outcome) ?? 0));
    return outcomeRow(outcome, counts);
  });
  const sums = shown.map((one) => showCount(one.exchangeCount));
  return [outcomeRow('', names), ...rows, outcomeRow('all', sums)];
}

function outcomeRow(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(28)}${cells.map((cell) => number(cell, 15)).join('')}`;
}

function ttftLines({ classes }: DemoSummary): string[] {
  return [spreadHead(), ...classes.map((one) => spreadRow(one.name, one.ttft))];
}

function partLines({ classes, basisCounts }: DemoSummary): string[] {
  const shown = classes.slice(0, PART_CLASSES_MAX_COUNT);
  const head = `  ${'part'.padEnd(9)}${'rests on'.padEnd(39)}`;
  const names = shown.map((one) => number(one.name.slice(0, 22), 24)).join('');
  const columns = shown.map(() => number('p50', 14) + number('p95')).join('');
  const rows = PARTS.map((part) => {
    const cells = shown.map((one) => number(showMs(one.parts[part].p50), 14) + number(showMs(one.parts[part].p95)));
    return `  ${part.padEnd(9)}${partBasis(part, basisCounts).padEnd(39)}${cells.join('')}`;
  });
  return [
    '  In one exchange the parts sum to its TTFT to the nanosecond. Percentiles of parts do not add up.',
    ' '.repeat(head.length) + names,
    head + columns,
    ...rows,
  ];
}

/** What a part is known by, with how many exchanges had such evidence where that differs. */
function partBasis(part: Part, { exact, model, none }: DemoSummary['basisCounts']): string {
  switch (part) {
    case 'queue':
    case 'prefill': {
      if (exact + model === 0) return 'nothing: the engine gave no evidence';
      const words = [
        exact > 0 ? `exact in ${exact}` : '',
        model > 0 ? `model in ${model}` : '',
        none > 0 ? `none in ${none}` : '',
      ];
      return `evidence: ${words.filter((word) => word !== '').join(', ')}`;
    }
    case 'other':
      return 'remainder beside queue and prefill';
    case 'engine':
      return 'remainder: queue, prefill and the rest';
    case 'network':
    case 'rubato':
      return 'measured';
  }
}

function gapLines({ classes }: DemoSummary): string[] {
  const lines = [spreadHead()];
  for (const one of classes) {
    lines.push(
      `  ${one.name}`,
      spreadRow('  pooled: every gap of the class', one.pooledGaps),
      spreadRow("  per exchange: median of each one's own", one.medianExchangeGaps, ['p50', 'p95', 'p99']),
      spreadRow('  worst: the largest gap of each exchange', one.worstGaps),
      `    ${stallWords(one)}`,
    );
  }
  return lines;
}

function stallWords(one: ClassSummary): string {
  const tainted = Object.entries(one.taintedCounts).filter(([, count]) => count > 0);
  const causes = tainted.map(([cause, count]) => `${cause} ${showCount(count)}`).join(', ');
  const leftOut =
    tainted.length === 0 ? 'no gap had to be left out as untrustworthy' : `left out as untrustworthy: ${causes}`;
  return `stalls: ${showCount(one.stallCount)} of ${showCount(one.pooledGaps.count)} gaps; ${leftOut}`;
}

function histogramLines({ classes }: DemoSummary): string[] {
  const lines: string[] = [];
  for (const one of classes.slice(0, HISTOGRAMS_MAX_COUNT)) {
    if (one.pooledGapsNs.length === 0) continue;
    lines.push(`  ${one.name}`, ...drawHistogram(one.pooledGapsNs, BAR_COLUMNS));
  }
  return lines.length === 0 ? ['  No gaps: no exchange had two reads with output.'] : lines;
}

function worstLines({ worst }: DemoSummary): string[] {
  if (worst === undefined) return ['  None: no exchange had two reads with output.'];
  const { record, labels } = worst.report;
  const place = `chunk ${showCount(worst.chunk + 1)} of ${showCount(record.response.chunkCount)}`;
  const lines = [
    `  ${record.id}  class ${labels.class}, ended ${record.end.outcome}`,
    `  waited ${showMs(worst.gapNs)} ms before ${place}, ${showMs(worst.atNs)} ms after its request came`,
  ];
  if (record.trace !== undefined) lines.push(`  trace ${record.trace.traceId}`);
  return lines;
}

function costLines({ ownTtft, ownHoldMax }: DemoSummary): string[] {
  return [
    spreadHead(),
    spreadRow('of the TTFT: forwarding and holding', ownTtft),
    spreadRow('worst chunk of each exchange: read to kernel', ownHoldMax),
  ];
}

function nextLines({ worst }: DemoSummary, input: DemoReportInput): string[] {
  const pairs: (readonly [what: string, where: string])[] = [];
  const { adminUrl, recordFile } = input;
  if (input.staysUp) {
    pairs.push(['live page', `${adminUrl}/`], ['metrics', `curl -s ${adminUrl}/metrics`]);
    if (worst !== undefined) pairs.push(['worst stream', `curl -s ${adminUrl}/api/streams/${worst.report.record.id}`]);
    pairs.push(['talk to it', `${input.url}/v1/chat/completions`], ['stop', 'Ctrl-C']);
  } else {
    pairs.push(['live page, metrics', 'npm run demo -- --keep   (stays up and prints their addresses)']);
  }
  if (recordFile !== undefined) {
    pairs.push(['records', recordFile], ['recompute them', `npm run rubato -- replay ${recordFile}`]);
  }
  pairs.push(['your own engine', 'npm start -- --upstream http://127.0.0.1:8000']);
  return pairs.map(([what, where]) => `  ${what.padEnd(20)}${where}`);
}

const LABEL_COLUMNS = 46;

function label(text: string): string {
  return `  ${text.slice(0, LABEL_COLUMNS - 1).padEnd(LABEL_COLUMNS)}`;
}

function number(text: string, width = 10): string {
  return text.padStart(width);
}

function spreadHead(): string {
  return label('') + number('n', 7) + ['p50', 'p95', 'p99', 'max'].map((name) => number(name)).join('');
}

type SpreadColumn = 'p50' | 'p95' | 'p99' | 'max';
const SPREAD_COLUMNS: readonly SpreadColumn[] = ['p50', 'p95', 'p99', 'max'];

/** A row of percentiles; columns that make no sense for it stay empty, which is not the dash of unknown. */
function spreadRow(name: string, spread: Spread, columns = SPREAD_COLUMNS): string {
  const cells = SPREAD_COLUMNS.map((column) => number(columns.includes(column) ? showMs(spread[column]) : ''));
  return (label(name) + number(showCount(spread.count), 7) + cells.join('')).trimEnd();
}
