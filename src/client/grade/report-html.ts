// A grading as one page that needs nothing else: findings, the table of cases, and for each case its arrival
// curves, drawn as SVG: text over time at the engine, at a direct client, and at a client behind the gateway.
import type { CaseCard, Curve } from './compare.ts';
import { GRADE_CHANGES } from './compare.ts';
import type { Grading } from './grade.ts';
import { showMs } from '../spread.ts';

const WIDTH = 560;
const HEIGHT = 180;
const PAD = 34;
const COLORS = { engine: '#9aa0a6', direct: '#1a73e8', through: '#d93025' } as const;

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#202124}
table{border-collapse:collapse}td,th{border:1px solid #dadce0;padding:.2rem .5rem;text-align:right}
td:first-child,th:first-child{text-align:left}figure{display:inline-block;margin:.5rem 1rem .5rem 0}
figcaption{font-size:13px}.bad{color:#b3261e;font-weight:600}svg{background:#fff;border:1px solid #dadce0}
svg text{font-size:11px;fill:#5f6368}`;

export function gradeHtml({ gateway, version, start, cases, findings }: Grading): string {
  const name = escaped(version === undefined ? gateway : `${gateway} ${version}`);
  const found = findings.map(
    ({ weight, says, cases: where }) =>
      `<li><span class="${weight}">${weight}</span>: ${escaped(says)} (${escaped(where.join(', '))})</li>`,
  );
  const added = `Added to TTFT ${showMs(start.ttftAddedNs)} ms: before the engine was asked ${showMs(start.askAddedNs)}, hold of the first text ${showMs(start.firstHoldAddedNs)}; hold of later text ${showMs(start.laterHoldAddedNs)}.`;
  const legend = Object.entries(COLORS)
    .map(([who, color]) => `<span style="color:${color}">■</span> ${who === 'through' ? 'through the gateway' : who}`)
    .join(' &nbsp; ');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Report card of ${name}</title><style>${STYLE}</style></head><body>
<h1>Report card of ${name}</h1>
<ul>${found.join('') || '<li>No findings: it passes every stream on as it came.</li>'}</ul>
<p>${added}</p>
<table><tr><th>case</th><th>TTFT, ms</th><th>hold p50</th><th>hold p95</th><th>hold max</th><th>held bytes</th><th>changed</th></tr>
${cases.map((card) => row(card)).join('\n')}
</table>
<p>${legend}: code points of text over ms since the request.</p>
${cases.map((card) => figure(card)).join('\n')}
</body></html>
`;
}

function row({ title, through, changes }: CaseCard): string {
  const { ttftNs, holdP50Ns, holdP95Ns, holdMaxNs, heldBytes } = through;
  const lengths = [ttftNs, holdP50Ns, holdP95Ns, holdMaxNs].map((each) => `<td>${showMs(each)}</td>`).join('');
  const what = changes.map((change) => GRADE_CHANGES[change]).join('; ');
  return `<tr><td>${escaped(title)}</td>${lengths}<td>${heldBytes}</td><td>${escaped(what)}</td></tr>`;
}

function figure({ title, curves }: CaseCard): string {
  const all = [...curves.engine, ...curves.direct, ...curves.through];
  const endMs = Math.max(1, ...all.map(([atMs]) => atMs));
  const chars = Math.max(1, ...all.map(([, count]) => count));
  const lines = (Object.keys(COLORS) as (keyof typeof COLORS)[]).map(
    (who) =>
      `<polyline fill="none" stroke="${COLORS[who]}" stroke-width="1.5" points="${points(curves[who], endMs, chars)}"/>`,
  );
  const axis = `<text x="${WIDTH - PAD}" y="${HEIGHT - 8}" text-anchor="end">${Math.round(endMs)} ms</text><text x="4" y="14">${chars}</text>`;
  return `<figure><svg width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(title)}">${lines.join('')}${axis}</svg><figcaption>${escaped(title)}</figcaption></figure>`;
}

/** Steps: text is not there before the read that brought it. */
function points(curve: Curve, endMs: number, chars: number): string {
  const x = (atMs: number): string => (PAD + (atMs / endMs) * (WIDTH - 2 * PAD)).toFixed(1);
  const y = (count: number): string => (HEIGHT - PAD / 2 - 8 - (count / chars) * (HEIGHT - PAD)).toFixed(1);
  let before = 0;
  const steps = curve.map(([atMs, count]) => {
    const step = `${x(atMs)},${y(before)} ${x(atMs)},${y(count)}`;
    before = count;
    return step;
  });
  return [`${x(0)},${y(0)}`, ...steps].join(' ');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
