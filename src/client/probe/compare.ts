// Two runs of a probe side by side, this one and one from another place: what the distance between the places, and
// the hops on it, add. Differences of medians; what one of them has not is absent, never 0.
import { showMs, spreadOf } from '../spread.ts';
import type { Moments } from './moments.ts';
import { PROBE_SCHEMA, type ProbeResult, type ProbeStream } from './result.ts';
import { isObject, parseJson } from '../../stream/json-value.ts';

export interface Difference {
  readonly part: string;
  /** Medians over the streams, ns. */
  readonly hereNs?: number;
  readonly thereNs?: number;
  /** Here less there. */
  readonly addedNs?: number;
}

const MOMENT_PARTS: readonly (readonly [keyof Moments, string])[] = [
  ['dnsNs', 'DNS'],
  ['tcpNs', 'TCP'],
  ['tlsNs', 'TLS'],
  ['headNs', 'head'],
  ['firstTextNs', 'first text'],
  ['ttftNs', 'TTFT'],
  ['streamNs', 'stream'],
];

const GAP_PARTS = [
  ['p50Ns', 'gap p50'],
  ['p95Ns', 'gap p95'],
  ['maxNs', 'gap max'],
] as const;

export function compareRuns(here: ProbeResult, there: ProbeResult): Difference[] {
  const difference = (part: string, of: (stream: ProbeStream) => number | undefined): Difference => {
    const [hereNs, thereNs] = [here, there].map(
      ({ streams }) => spreadOf(streams.flatMap((stream) => of(stream) ?? [])).p50,
    );
    return {
      part,
      ...(hereNs === undefined ? {} : { hereNs }),
      ...(thereNs === undefined ? {} : { thereNs }),
      ...(hereNs === undefined || thereNs === undefined ? {} : { addedNs: hereNs - thereNs }),
    };
  };
  return [
    ...MOMENT_PARTS.map(([name, part]) => difference(part, ({ moments }) => moments[name])),
    ...GAP_PARTS.map(([name, part]) => difference(part, ({ figures }) => figures.gapsReceived[name])),
    difference('TPOT', ({ figures }) => figures.tpotNs),
  ];
}

export function comparisonLines(here: ProbeResult, there: ProbeResult): string[] {
  const differences = compareRuns(here, there);
  const rows = differences.flatMap(({ part, hereNs, thereNs, addedNs }) => {
    if (hereNs === undefined && thereNs === undefined) return [];
    const sign = addedNs !== undefined && addedNs > 0 ? '+' : '';
    const cells = [showMs(hereNs), showMs(thereNs), addedNs === undefined ? '' : `${sign}${showMs(addedNs)}`];
    return [`  ${part.padEnd(14)}${cells.map((cell) => cell.padStart(12)).join('')}`];
  });
  return [
    `compared with ${there.url} from another run`,
    `  ${'ms'.padEnd(14)}${['here', 'there', 'added'].map((title) => title.padStart(12)).join('')}`,
    ...rows,
    ...conclusions(here, there, differences),
  ];
}

/** What the rows come to. */
function conclusions(here: ProbeResult, there: ProbeResult, differences: readonly Difference[]): string[] {
  const addedOf = (part: string): number | undefined => differences.find((one) => one.part === part)?.addedNs;
  const setUp = sumOf([addedOf('DNS'), addedOf('TCP'), addedOf('TLS')]);
  const ttftNs = addedOf('TTFT');
  const lines: string[] = [];
  if (ttftNs !== undefined) {
    const setUpSaid = setUp === undefined ? '' : `, of which setting up the connection ${showMs(setUp)} ms`;
    lines.push(`  From here the first text takes ${moreOrLess(ttftNs)}${setUpSaid}.`);
  }
  const roundTripNs = addedOf('TCP');
  if (roundTripNs !== undefined) lines.push(`  A round trip of the network takes ${moreOrLess(roundTripNs)}.`);
  const gapNs = addedOf('gap p95') ?? addedOf('gap max');
  if (gapNs !== undefined) lines.push(`  The long gaps take ${moreOrLess(gapNs)}.`);
  if (here.verdict !== undefined && there.verdict !== undefined && here.verdict.word !== there.verdict.word) {
    lines.push(
      `  Here: ${here.verdict.word}; there: ${there.verdict.word}. What holds lies between the two places, if either holds.`,
    );
  }
  return lines;
}

function moreOrLess(addedNs: number): string {
  return addedNs >= 0 ? `${showMs(addedNs)} ms more` : `${showMs(-addedNs)} ms less`;
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** A saved run; a text where it is none. */
export function readRun(text: string): ProbeResult | string {
  const value = parseJson(text);
  if (!isObject(value)) return 'it holds no JSON object';
  if (value['schema'] !== PROBE_SCHEMA)
    return `it is no run of this version's probe (schema ${String(value['schema'])})`;
  const { streams } = value;
  const areStreams =
    Array.isArray(streams) &&
    streams.every(
      (one) =>
        isObject(one) &&
        isObject(one['moments']) &&
        isObject(one['figures']) &&
        isObject(one['figures']['gapsReceived']),
    );
  return areStreams ? (value as unknown as ProbeResult) : 'it lacks the streams of a run';
}
