// Goal: on engines with labelled causes rubato names the right cause of nearly every stall, and hardly ever a wrong one
// where nothing was wrong. Method: 200 seeded runs in virtual time through the real observer (test/support/stall-study):
// each cause alone, pairs, none, on the ranges that the rules were written with; fewer on others that they were
// mended with. Prints the tables of confusion; takes about a minute of CPU.
import { describe } from 'vitest';
import { holdToStudy } from '../support/stall-study/hold-to-study.ts';

describe('causes on the engines of development', () => holdToStudy('development', { runCount: 200, rightLeast: 0.97 }));
describe('causes on busy engines', () => holdToStudy('development_busy', { runCount: 40, rightLeast: 0.93 }));
describe('causes on flooded engines', () => holdToStudy('development_flooded', { runCount: 100, rightLeast: 0.91 }));
describe('causes on engines with little to do', () =>
  holdToStudy('development_sparse', { runCount: 100, rightLeast: 0.93 }));
