// The labels of the study of causes hold by themselves, before any rule is asked: a mechanic that is switched off is
// never to blame, one that is on is, and the parts of a gap are the gap. Method: a few runs of each kind.
import { describe, expect, test } from 'vitest';
import type { StallCause } from '../../../../src/record/stall-context.ts';
import { arrivals, gathered, heldBack, travelled } from '../../../support/stall-study/outside.ts';
import { playRun, type StudiedStall } from '../../../support/stall-study/play-run.ts';
import { drawScenario, SWITCHES, switchesOf, type Switch } from '../../../support/stall-study/scenario.ts';

const TIMEOUT_MS = 60_000;

/** What a switch may be to blame for; a paused relay and a blocked client taint gaps, which are no stalls then. */
const LABELS_OF: Readonly<Record<Switch, readonly StallCause[]>> = {
  prefill: ['prefill_interference'],
  whole_prefill: ['prefill_interference'],
  growth: ['growth'],
  preemption: ['preemption'],
  host: ['host'],
  speculation: ['speculation'],
  buffering: ['buffering'],
  network: ['network'],
  client: [],
  rubato: [],
};

function stallsOf(switches: readonly Switch[], count: number): StudiedStall[] {
  const wanted = switches.join();
  const runs = Array.from({ length: 1_000 }, (_, run) => run).filter((run) => switchesOf(run).join() === wanted);
  return runs.slice(0, count).flatMap((run) => [...playRun(drawScenario(run, 'development')).stalls]);
}

/** As shares of all stalls. */
function labelShares(stalls: readonly StudiedStall[]): Partial<Record<StallCause, number>> {
  const shares: Partial<Record<StallCause, number>> = {};
  for (const { label } of stalls) shares[label.cause] = (shares[label.cause] ?? 0) + 1 / stalls.length;
  return shares;
}

describe('runs', () => {
  test('are each cause alone, every pair that can be, and none', () => {
    const kinds = new Set(Array.from({ length: 200 }, (_, run) => switchesOf(run).join()));
    expect(kinds.size).toBe(1 + SWITCHES.length + (SWITCHES.length * (SWITCHES.length - 1)) / 2 - 1);
  });
});

describe('labels', () => {
  test.each(SWITCHES.filter((name) => LABELS_OF[name].length > 0))(
    'where only %s is on, it is to blame',
    (name) => {
      const shares = { ...labelShares(stallsOf([name], 2)), unknown: 0 };
      const [label = 'unknown'] = LABELS_OF[name];
      expect(shares[label]).toBe(Math.max(...Object.values(shares)));
      // An engine shares its steps whatever is on, so a stall that is due to one thing may be due to another by a hair.
      const outside: readonly StallCause[] = ['host', 'preemption', 'buffering', 'network', 'client', 'rubato'];
      for (const cause of outside) if (cause !== label) expect(shares[cause] ?? 0).toBe(0);
    },
    TIMEOUT_MS,
  );

  test.each([
    { name: 'nothing is on', on: [] },
    { name: 'a client takes no more', on: ['client'] },
    { name: 'the relay stands still', on: ['rubato'] },
  ] as const)('where $name, nobody is to blame', ({ on }) => {
    const shares = labelShares(stallsOf(on, 6));
    for (const cause of ['host', 'preemption', 'buffering', 'network', 'client', 'rubato', 'speculation'] as const) {
      expect(shares[cause] ?? 0).toBe(0);
    }
  });

  test(
    'leave the usual pace, which is some time, and less than the gap where somebody is to blame',
    () => {
      for (const { gapNs, label } of stallsOf(['prefill', 'buffering'], 1)) {
        const excessNs = Object.values(label.shares).reduce((sum, share) => sum + share, 0);
        expect(gapNs - excessNs).toBeGreaterThan(0);
        if (label.cause !== 'unknown') expect(excessNs).toBeGreaterThan(0);
      }
    },
    TIMEOUT_MS,
  );
});

describe('on the way', () => {
  const PIECES = [10, 20, 30, 40].map((atNs) => ({ atNs, text: 'abc' }));
  const text = (pieces: readonly { readonly text: string }[]): string => pieces.map((piece) => piece.text).join('');

  test('a hop lets go of full buffers, and of the rest at the end', () => {
    expect(gathered(PIECES, { bytes: 5 })).toEqual([
      { atNs: 20, text: 'abcab' },
      { atNs: 40, text: 'cabcabc' },
    ]);
  });

  test('a hop lets go of what came within a time', () => {
    expect(gathered(PIECES, { afterNs: 15 })).toEqual([
      { atNs: 25, text: 'abcabc' },
      { atNs: 40, text: 'abcabc' },
    ]);
  });

  test('nothing overtakes what was lost', () => {
    const losses = { ratio: 0.5, lowestNs: 100, highestNs: 100 };
    let draws = 0;
    const arrived = travelled(PIECES, { jitterNs: 0, losses }, () => [0, 0.4, 0.9, 0, 0.9][draws++ % 5] ?? 0);
    expect(text(arrived)).toBe(text(PIECES));
    expect(arrived.every(({ atNs }, index) => index === 0 || atNs > (arrived[index - 1]?.atNs ?? 0))).toBe(true);
    expect(arrived[0]?.atNs).toBeGreaterThanOrEqual(110);
  });

  test('what is held back comes together', () => {
    expect(heldBack(PIECES, [{ fromNs: 10, toNs: 35 }])).toEqual([
      { atNs: 10, text: 'abc' },
      { atNs: 35, text: 'abcabc' },
      { atNs: 40, text: 'abc' },
    ]);
  });

  test('a byte is there when the piece with it is', () => {
    expect(arrivals(PIECES, [3, 4, 12])).toEqual([10, 20, 40]);
  });
});
