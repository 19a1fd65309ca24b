// All scenarios of the speed bench, in the order they are played.
import type { Scenario } from '../figures.ts';
import { burst } from './burst.ts';
import { exporting } from './exporting.ts';
import { idle } from './idle.ts';
import { large, many, steady } from './paced.ts';
import { saturation } from './saturation.ts';
import { short } from './short.ts';
import { single } from './single.ts';

export const SCENARIOS: readonly Scenario[] = [steady, many, saturation, single, short, large, idle, burst, exporting];
