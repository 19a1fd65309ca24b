// What lies between the load and a rubato before the engine, as lines of the page. Lengths in ms.
import { ABSENT, showCount, showMs } from '../spread.ts';
import type { PeerFigures } from './peer-figures.ts';
import type { LoadResult } from './result.ts';
import { rowOf, showRank, spreadRow, tableOf } from './rows.ts';

const CELL_WIDTH = 13;

/** What each step of a sweep had added on the way; nothing where no peer was asked. */
export function peerStepLines(
  name: string,
  steps: readonly { readonly value: string; readonly result: LoadResult }[],
): string[] {
  const [first] = steps.flatMap(({ result }) => result.peer ?? []);
  if (first === undefined) return [];
  const rows = steps.flatMap(({ value, result: { peer } }) => {
    if (peer === undefined) return [];
    const { matchedCount, unmatchedCount, ttftAdded, gapsAdded, gapMaxAdded } = peer;
    const found = `${showCount(matchedCount)}/${showCount(matchedCount + unmatchedCount)}`;
    const gaps = [gapsAdded.p50Ns, gapsAdded.p99Ns].map(showMs);
    const [ttft, worst] = [ttftAdded, gapMaxAdded].map((one) => [one.p50Ns, one.p99Ns].map(showRank));
    return [[value, found, ...(ttft ?? []), ...gaps, ...(worst ?? [])]];
  });
  const head = [name, 'found', 'TTFT p50', 'TTFT p99', 'gap p50', 'gap p99', 'worst p50', 'worst p99'];
  return ['', `added on the way from ${first.name}`, ...tableOf([head, ...rows], CELL_WIDTH)];
}

export function peerLines(peer: PeerFigures): string[] {
  const { matchedCount, unmatchedCount, gapsAdded } = peer;
  const foundOf = `${showCount(matchedCount)} of ${showCount(matchedCount + unmatchedCount)} requests were found there`;
  if (matchedCount === 0) {
    return [`${peer.name}: ${foundOf}. Is that the admin port of a rubato that these requests go through?`];
  }
  return [
    rowOf(`${peer.name}: ${foundOf}`, []),
    rowOf('', ['count', 'p50', 'p95', 'p99', 'max']),
    spreadRow('TTFT there', peer.ttftThere),
    spreadRow('TTFT here, from sent', peer.ttftHere),
    spreadRow('added to TTFT on the way', peer.ttftAdded),
    spreadRow('gaps there, all together', peer.gapsThere),
    spreadRow('gaps here, all together', peer.gapsHere),
    rowOf('  added to that percentile of gaps', [
      ABSENT,
      ...[gapsAdded.p50Ns, gapsAdded.p95Ns, gapsAdded.p99Ns].map(showMs),
      ABSENT,
    ]),
    spreadRow('added to the worst gap of an exchange', peer.gapMaxAdded),
  ];
}
