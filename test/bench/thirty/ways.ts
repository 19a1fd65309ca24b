// The ways that a check compares, each started once and used in turns: no proxy, the least proxy, rubato.
import { direct, startRubato, startScript, type Contender, type RubatoOptions } from '../harness/contender.ts';
import type { Sidecar } from '../../support/sidecar.ts';

export type WayName = 'direct' | 'pipe' | 'rubato';
export type Turns<T> = Readonly<Record<WayName, readonly T[]>>;

/** One of the ways; rubato's can be asked what it says itself. */
export type Way = Contender & { readonly sidecar?: Sidecar };

const PIPE = '../contenders/node-pipe.ts';

/** Plays so many turns by each way, after one that does not count. */
export async function inTurns<T>(
  turnCount: number,
  options: RubatoOptions,
  play: (way: Way, name: WayName) => Promise<T>,
): Promise<Turns<T>> {
  const { enginePort } = options;
  const ways = {
    direct: direct(enginePort),
    pipe: await startScript('pipe', PIPE, [String(enginePort)]),
    rubato: await startRubato('rubato', options),
  };
  const turns: Record<WayName, T[]> = { direct: [], pipe: [], rubato: [] };
  const playEach = async (isCounted: boolean): Promise<void> => {
    for (const [name, way] of Object.entries(ways) as [WayName, Way][]) {
      const played = await play(way, name);
      if (isCounted) turns[name].push(played);
    }
  };
  try {
    for (let turn = 0; turn <= turnCount; turn += 1) await playEach(turn > 0);
  } finally {
    await ways.pipe.stop();
    await ways.rubato.stop();
  }
  return turns;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
