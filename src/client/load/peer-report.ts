// What lies between the load and a rubato before the engine, as lines of the page. Lengths in ms.
import { ABSENT, showCount, showMs } from '../spread.ts';
import type { PeerFigures } from './peer-figures.ts';
import { rowOf, spreadRow } from './rows.ts';

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
