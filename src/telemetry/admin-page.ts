// The page at `/`: one plain document without script, from the same data as the API. Everything that
// is put into it is escaped, and its policy lets nothing run or load but its own style.
import { createHash } from 'node:crypto';
import type { Diagnosis } from '../judge/diagnosis/finding.ts';
import type { EngineState } from '../judge/engine-state.ts';
import type { HopState } from '../judge/hop/state.ts';
import type { OpenExchange } from '../judge/report.ts';
import type { RecentRow } from './admin-rows.ts';
import type { Spread } from './recent-values.ts';
import { GOODPUT_HEAD, goodputRows, OBJECTIVE_HEAD, objectiveRows } from './admin-slo.ts';
import type { ClassSummary, Summary } from './summary.ts';

const STYLE = `
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1b1b1f;background:#fff}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #d9d9de}
th:first-child,td:first-child{text-align:left}th{font-weight:600}td{font-variant-numeric:tabular-nums}
p.none{color:#5c5c66}@media(prefers-color-scheme:dark){body{color:#e8e8ec;background:#17171a}a{color:#8ab4ff}
th,td{border-color:#3a3a42}p.none{color:#a0a0aa}}`;

export const PAGE_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

export interface PageData {
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly summary: Summary;
  readonly engines: readonly EngineState[];
  readonly diagnoses: readonly Diagnosis[];
  readonly hops: readonly HopState[];
  readonly open: readonly OpenExchange[];
  readonly recent: readonly RecentRow[];
}

const ROWS_MAX_COUNT = 20;

export function renderPage(data: PageData): string {
  const state = data.ready ? 'Ready.' : `Not ready: ${data.reasons.join('; ')}.`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>rubato</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><h1>rubato</h1><p>${escape(state)}</p>
<p><a href="/metrics">/metrics</a> · <a href="/api/streams">/api/streams</a> · <a href="/api/summary">/api/summary</a>
 · <a href="/api/diagnosis">/api/diagnosis</a> · <a href="/api/hops">/api/hops</a> · <a href="/healthz">/healthz</a> · <a href="/readyz">/readyz</a></p>
<h2>Classes, recent exchanges</h2>${table(CLASS_HEAD, data.summary.classes.map(classRow))}
${objectives(data.summary.classes)}${diagnoses(data.diagnoses)}${hops(data.hops)}${engines(data.engines)}<h2>Open exchanges (${data.open.length})</h2>${table(OPEN_HEAD, data.open.slice(0, ROWS_MAX_COUNT).map(openRow))}
<h2>Recent exchanges</h2>${table(RECENT_HEAD, data.recent.slice(0, ROWS_MAX_COUNT).map(recentRow))}
</body></html>
`;
}

/** A cell: text, or text with a link to a record. */
type Cell = string | { readonly text: string; readonly id: string };

const CLASS_HEAD = [
  'class',
  'exchanges',
  'ok',
  'TTFT p50',
  'p95',
  'p99',
  'TPOT p50',
  'gap p50',
  'gap p99',
  'worst gap',
  'stalls',
];

function classRow(row: ClassSummary): readonly Cell[] {
  const worst = row.worst === undefined ? '–' : { text: ms(row.worst.gapMaxNs), id: row.worst.id };
  return [
    row.class,
    String(row.exchangeCount),
    String(row.outcomeCounts.ok ?? 0),
    ...percentiles(row.ttft),
    ms(row.tpot?.p50Ns),
    ms(row.gap?.p50Ns),
    ms(row.gap?.p99Ns),
    worst,
    String(row.stallCount),
  ];
}

/** Only where something was promised. Recent is the last minutes. */
function objectives(classes: readonly ClassSummary[]): string {
  const warnings = classes.flatMap((each) =>
    each.warnings.map((warning) => `<p>${escape(each.class)}: ${escape(warning)}</p>\n`),
  );
  const rows = classes.flatMap((each) => objectiveRows(each));
  if (rows.length === 0) return warnings.join('');
  const goodput = table(
    GOODPUT_HEAD,
    classes.flatMap((each) => goodputRows(each)),
  );
  return `${warnings.join('')}<h2>Objectives</h2>${table(OBJECTIVE_HEAD, rows)}\n<h2>Goodput</h2>${goodput}\n`;
}

/** What ails the engine of each route, in words; nothing where nothing does. */
function diagnoses(all: readonly Diagnosis[]): string {
  const ailing = all.filter(({ findings }) => findings.length > 0);
  const list = (texts: readonly string[]): string => texts.map((text) => `<li>${escape(text)}</li>`).join('');
  const parts = ailing.map(({ route, says, findings, playbook }) => {
    const causes = findings.map(({ cause, weight, says: why }) => `${cause} (${weight.toFixed(1)}): ${why}`);
    const steps = playbook.map(({ step, why }) => `${step} ${why}`);
    return `<h3>${escape(route)}</h3><p>${escape(says.join(' '))}</p><ol>${list(causes)}</ol><p>In this order:</p><ol>${list(steps)}</ol>\n`;
  });
  return parts.length === 0 ? '' : `<h2>Diagnosis of the last ten minutes</h2>${parts.join('')}`;
}

const HOP_HEAD = ['hop', 'word', 'way', 'pairs', 'largest hold p50', 'p95', 'TTFT added p50', 'changes'];

/** What stands between an edge, or here, and where the same exchanges were seen again. */
function hops(states: readonly HopState[]): string {
  if (states.length === 0) return '';
  const cures = states.flatMap(({ hop, cures: each }) => each.map((cure) => `${hop}: ${cure}`));
  const told = cures.map((cure) => `<p>What usually cures it: ${escape(cure)}</p>\n`).join('');
  return `<h2>Hops</h2>${table(HOP_HEAD, states.map(hopRow))}\n${told}`;
}

function hopRow(state: HopState): readonly Cell[] {
  const { hop, word, way, pairedCount, holdMax, ttftAdded, changes } = state;
  const changed = Object.keys(changes).join(', ');
  const lengths = [ms(holdMax?.p50Ns), ms(holdMax?.p95Ns), ms(ttftAdded?.p50Ns)];
  return [hop, word, way ?? '–', String(pairedCount), ...lengths, changed === '' ? '–' : changed];
}

const ENGINE_HEAD = [
  'route',
  'engine',
  'running',
  'waiting',
  'KV cache',
  'queue',
  'prefill',
  'step',
  'window',
  'polled',
];

/** Stands beside the classes' TTFT as what it is, and only where an engine publishes anything. */
function engines(states: readonly EngineState[]): string {
  if (states.length === 0) return '';
  return `<h2>Engines, from their own metrics</h2>${table(ENGINE_HEAD, states.map(engineRow))}
<p class="none">Means over the window, of all clients' requests. No exchange above was given one of them.</p>
`;
}

function engineRow(state: EngineState): readonly Cell[] {
  const { window } = state;
  const count = (value: number | undefined): string => (value === undefined ? '–' : String(value));
  const age = state.ageNs === undefined ? '–' : `${(state.ageNs / 1e9).toFixed(0)} s ago`;
  return [
    state.route,
    state.engine ?? '–',
    count(state.runningCount),
    count(state.waitingCount),
    state.kvUsedRatio === undefined ? '–' : `${(state.kvUsedRatio * 100).toFixed(0)} %`,
    ms(window?.queueMeanNs),
    ms(window?.prefillMeanNs),
    ms(window?.stepMeanNs),
    window === undefined ? '–' : `${(window.windowNs / 1e9).toFixed(0)} s`,
    state.up ? age : `${age}, down`,
  ];
}

const OPEN_HEAD = ['id', 'class', 'model', 'phase', 'age', 'chunks', 'silent'];

function openRow(open: OpenExchange): readonly Cell[] {
  const silent = open.silentMs === undefined ? '–' : `${Math.round(open.silentMs)} ms`;
  return [open.id, seen(open), open.model, open.phase, `${Math.round(open.ageMs)} ms`, String(open.chunkCount), silent];
}

const RECENT_HEAD = ['id', 'opened', 'class', 'model', 'outcome', 'TTFT', 'duration', 'worst gap', 'chunks'];

function recentRow(row: RecentRow): readonly Cell[] {
  const opened = new Date(row.openedAtEpochMs).toISOString();
  const lengths = [ms(row.ttftNs), ms(row.durationNs), ms(row.gapMaxNs)];
  return [{ text: row.id, id: row.id }, opened, seen(row), row.model, row.outcome, ...lengths, String(row.chunkCount)];
}

/** The class, and the hop if it was seen before one. */
function seen({ class: name, edge }: Pick<OpenExchange, 'class' | 'edge'>): string {
  return edge === undefined ? name : `${name}, before ${edge}`;
}

function percentiles(spread: Spread | undefined): readonly string[] {
  return [ms(spread?.p50Ns), ms(spread?.p95Ns), ms(spread?.p99Ns)];
}

/** Unknown is a dash, never a 0. */
function ms(lengthNs: number | undefined): string {
  return lengthNs === undefined ? '–' : `${(lengthNs / 1e6).toFixed(1)} ms`;
}

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '<p class="none">None yet.</p>';
  const headRow = head.map((name) => `<th scope="col">${escape(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cellText(cell)}</td>`).join('')}</tr>`).join('\n');
  return `<table><thead><tr>${headRow}</tr></thead><tbody>${body}</tbody></table>`;
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return escape(cell);
  return `<a href="/api/streams/${encodeURIComponent(cell.id)}">${escape(cell.text)}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
