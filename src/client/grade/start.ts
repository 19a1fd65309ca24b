// The start of a stream: what a gateway adds to every first text, apart from what it adds to the rest. Several
// runs both ways in turns, so that what the machine does meanwhile falls on both; medians, for one run may stumble.
import { ascending, nearestRank } from '../../measure/percentile.ts';
import type { RunFigures } from './figures.ts';

export interface StartCard {
  readonly runCount: number;
  /** Through the gateway less direct, medians: request sent → first text read. */
  readonly ttftAddedNs: number;
  /** Request sent → the engine has its head. */
  readonly askAddedNs: number;
  /** First text written → read. */
  readonly firstHoldAddedNs: number;
  /** The median text of a stream written → read. */
  readonly laterHoldAddedNs: number;
}

type Length = 'ttftNs' | 'askNs' | 'firstHoldNs' | 'holdP50Ns';

export function startCardOf(direct: readonly RunFigures[], through: readonly RunFigures[]): StartCard {
  const addedNs = (name: Length): number => median(through, name) - median(direct, name);
  return {
    runCount: through.length,
    ttftAddedNs: addedNs('ttftNs'),
    askAddedNs: addedNs('askNs'),
    firstHoldAddedNs: addedNs('firstHoldNs'),
    laterHoldAddedNs: addedNs('holdP50Ns'),
  };
}

function median(runs: readonly RunFigures[], name: Length): number {
  const values = ascending(runs.flatMap((run) => run[name] ?? []));
  return values.length === 0 ? 0 : nearestRank(values, 50);
}
