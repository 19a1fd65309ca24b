// What rubato thinks, in a few lines: the running diagnosis, the hops, and what rubato itself costs.
import { type Finding, strengthOf } from '../../judge/diagnosis/finding.ts';
import type { HopState } from '../../judge/hop/state.ts';
import type { LiveSelf } from '../../telemetry/live/frame.ts';
import { ABSENT, showCount } from '../spread.ts';
import type { Style } from './paint.ts';
import type { Picture } from './picture.ts';
import { cut, msText, percentText, wordText, wrap } from './text.ts';

const DIAGNOSIS_LINES_MAX_COUNT = 3;
const HOPS_MAX_COUNT = 3;
const BYTES_PER_MIB = 1024 * 1024;

/** What moved and the finding that weighs most, for each upstream that has one. */
export function diagnosisLines({ view, width, paint }: Picture): string[] {
  const diagnoses = view.state?.diagnoses ?? [];
  const lines = diagnoses.flatMap(({ route, says, findings }) => {
    // They are ranked.
    const [first] = findings;
    const because = first === undefined ? [] : [`${strengthWord(first)}: ${first.says}`];
    const text = [...says, ...because].join(' ');
    return text === '' ? [] : wrap(`diagnosis of ${route}: ${text}`, width);
  });
  return capped(lines, DIAGNOSIS_LINES_MAX_COUNT, width).map((line) => paint('plain', line));
}

function strengthWord({ weight }: Finding): string {
  const strength = strengthOf(weight);
  return strength === 'hint' ? 'a hint' : strength;
}

/** Each with the cure below it where it holds text. */
export function hopLines({ view, width, paint }: Picture): string[] {
  const hops = (view.state?.hops ?? []).slice(0, HOPS_MAX_COUNT);
  return hops.flatMap((hop) => {
    const [cure] = hop.word === 'holds' ? hop.cures : [];
    const line = paint(hopStyle(hop), cut(hopText(hop), width));
    return cure === undefined ? [line] : [line, cut(`  what usually cures it: ${cure}`, width)];
  });
}

function hopText({ hop, word, way, pairedCount, holdMax, changes }: HopState): string {
  const changed = Object.keys(changes).map((change) => wordText(change));
  return [
    `hop ${hop}: ${word}${way === undefined ? '' : ` by ${wordText(way)}`}`,
    `${showCount(pairedCount)} paired`,
    `largest hold p50 ${msText(holdMax?.p50Ns)}, p95 ${msText(holdMax?.p95Ns)} ms`,
    ...(changed.length === 0 ? [] : [`changes ${changed.join(', ')}`]),
  ].join('  ');
}

function hopStyle({ word }: HopState): Style {
  if (word === 'holds') return 'bad';
  return word === 'passes' ? 'good' : 'plain';
}

/** What rubato costs and loses. Its warnings stand at the top of the picture. */
export function selfLine({ view, width, paint }: Picture): string[] {
  const self = view.state?.self;
  if (self === undefined) return [];
  const facts = [
    `rubato itself: relay lag ${lagText(self.relayLagMs)}, main ${lagText(self.mainLagMs)}`,
    `CPU ${percentText(self.cpuRatio)}`,
    `${Math.round(self.rssBytes / BYTES_PER_MIB)} MiB`,
    `${showCount(Math.round(self.chunksPerSecond))} chunks/s`,
    lostText(self),
  ];
  return [paint('dim', cut(facts.join('  '), width))];
}

function lagText(lagMs: number | undefined): string {
  return lagMs === undefined ? ABSENT : `${lagMs.toFixed(1)} ms`;
}

/** Detail, not bytes: those of clients are never lost. */
function lostText({ tapeDropped, exports, shed }: LiveSelf): string {
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const lost = [
    ['tape detail', sum(Object.values(tapeDropped))],
    ['exports', sum(exports.map(({ droppedCount }) => droppedCount))],
    ['refused for want of room', sum(Object.values(shed))],
  ] as const;
  const told = lost.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${showCount(count)}`);
  return told.length === 0 ? 'nothing lost' : `lost: ${told.join(', ')}`;
}

function capped(lines: readonly string[], count: number, width: number): string[] {
  if (lines.length <= count) return [...lines];
  return [...lines.slice(0, count - 1), cut(`${lines[count - 1] ?? ''} …`, width)];
}
