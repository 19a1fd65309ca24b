// Goal: on engines with labelled causes rubato names the right cause of nearly every stall, and hardly ever a wrong one
// where nothing was wrong. Method: 200 seeded runs in virtual time through the real observer (test/support/stall-study):
// each cause alone, pairs, none, on the ranges that the rules were written with; fewer on others that they were
// mended with. Prints the tables of confusion; takes about a minute of CPU.
//
// Stalls that two makers share so closely that nobody beside the engine could tell them apart (counts of the runs below,
// of 200 where the set has so few). A hop that is not full waits for the engine's next token, so while the engine reads a
// prompt the label is the hop's and the time is the prompt's: 45 of 124 stalls of such runs on engines with little to do
// are called prefill interference. A hop behind an engine that guesses ahead gathers what comes in bunches anyway: 95 of
// 134 in development are unknown. An engine that stands still while a prompt waits: 11 of 99.
import { describe } from 'vitest';
import { holdToStudy } from '../support/stall-study/hold-to-study.ts';

describe('causes on the engines of development', () => holdToStudy('development', { runCount: 200, rightLeast: 0.97 }));
describe('causes on busy engines', () => holdToStudy('development_busy', { runCount: 40, rightLeast: 0.93 }));
describe('causes on flooded engines', () => holdToStudy('development_flooded', { runCount: 100, rightLeast: 0.91 }));
describe('causes on engines with little to do', () =>
  holdToStudy('development_sparse', { runCount: 100, rightLeast: 0.94 }));
