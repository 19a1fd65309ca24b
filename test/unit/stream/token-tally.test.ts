// Goal: tokens are counted on what the engine says, best first, and a count that cannot be right is none.
// Method: what events state and list, in order; exact facts.
import { describe, expect, it } from 'vitest';
import { TokenTally } from '../../../src/stream/token-tally.ts';

const listed = (generated: boolean, tokenIdCount?: number, logprobCount?: number) => ({
  generated,
  tokenIdCount,
  logprobCount,
});

describe('tokens of an answer', () => {
  it('are those listed, of events without text as well', () => {
    const tally = new TokenTally();
    tally.noteChoice(listed(false, 1));
    tally.noteChoice(listed(true, 2));
    expect(tally.facts()).toEqual({ output: 3, basis: 'token_ids' });
  });

  it('are not known by list once output came that listed none, or was lost', () => {
    const tally = new TokenTally();
    tally.noteChoice(listed(true, 1, 1));
    tally.noteChoice(listed(true, undefined, 1));
    expect(tally.facts()).toEqual({ output: 2, basis: 'logprobs' });
    tally.noteLoss();
    expect(tally.facts()).toEqual({});
    tally.noteUsage({ output: 9 }, undefined);
    expect(tally.facts()).toEqual({ output: 9, basis: 'usage' });
  });

  it('by usage are summed over choices, until a total is stated', () => {
    const tally = new TokenTally();
    tally.noteUsage({ prompt: 4, output: 1 }, 0);
    tally.noteUsage({ prompt: 4, output: 1 }, 1);
    tally.noteUsage({ prompt: 4, output: 3 }, 1);
    expect(tally.usageOutput).toBe(4);
    tally.noteUsage({ output: 5, cached: 2 }, undefined);
    expect(tally.facts()).toEqual({ prompt: 4, cached: 2, output: 5, basis: 'usage' });
  });

  it('are no sum that a double cannot hold', () => {
    const tally = new TokenTally();
    const most = Number.MAX_SAFE_INTEGER;
    tally.noteUsage({ output: most }, 0);
    tally.noteUsage({ output: most }, 1);
    expect(tally.usageOutput).toBe(most);
    const list = new TokenTally();
    list.noteChoice(listed(true, most));
    list.noteChoice(listed(true, most));
    expect(list.facts()).toEqual({});
  });
});
