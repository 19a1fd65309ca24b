// Which stalls of an exchange are listed, each with the verdict that belongs to it: figures and verdicts are two lists,
// and either may be cut. Pure.
import type { StallVerdict } from '../../judge/causes/verdict.ts';
import type { Report } from '../../judge/report.ts';

export interface ListedStall {
  /** When it ended, ns since the request head was received. */
  readonly atNs: number;
  readonly gapNs: number;
  readonly verdict?: StallVerdict;
}

export function listedStalls({ figures, stalls = [] }: Pick<Report, 'figures' | 'stalls'>): ListedStall[] {
  return figures.stalls.map(({ chunk, atNs, gapNs }) => {
    const verdict = stalls.find((each) => each.chunk === chunk);
    return { atNs, gapNs, ...(verdict !== undefined && { verdict }) };
  });
}
