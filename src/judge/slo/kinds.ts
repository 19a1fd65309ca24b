// The table of kinds of objectives. Adding one is a file and a line here.
import type { ObjectiveKind } from '../../record/objective.ts';
import { e2e } from './e2e.ts';
import { gapMax } from './gap-max.ts';
import { gapPercentile } from './gap-percentile.ts';
import { gapPooled } from './gap-pooled.ts';
import type { KindRule } from './rule.ts';
import { served } from './served.ts';
import { tpot } from './tpot.ts';
import { ttfo } from './ttfo.ts';
import { ttft } from './ttft.ts';
import { valid } from './valid.ts';

export const KIND_RULES: Readonly<Record<ObjectiveKind, KindRule>> = {
  ttft,
  ttfo,
  gap_max: gapMax,
  gap_percentile: gapPercentile,
  gap_pooled: gapPooled,
  tpot,
  e2e,
  valid,
  served,
};
