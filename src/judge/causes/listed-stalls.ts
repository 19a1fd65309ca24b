// Which stalls of an exchange are listed, each with the verdict that belongs to it: figures and verdicts are two lists,
// and either may be cut. Pure.
import type { Report } from '../report.ts';
import type { StallVerdict } from './verdict.ts';

export interface ListedStall {
  /** When it ended, ns since the request head was received. */
  readonly atNs: number;
  readonly gapNs: number;
  readonly verdict?: StallVerdict;
}

export function listedStalls({ figures, stalls = [] }: Pick<Report, 'figures' | 'stalls'>): ListedStall[] {
  const verdicts = new Map(stalls.map((verdict) => [verdict.chunk, verdict]));
  return figures.stalls.map(({ chunk, atNs, gapNs }) => {
    const verdict = verdicts.get(chunk);
    return { atNs, gapNs, ...(verdict !== undefined && { verdict }) };
  });
}
