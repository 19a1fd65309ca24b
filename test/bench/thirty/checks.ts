// The list of the checks, in the order of the table.
import { aborts } from './aborts.ts';
import { budget } from './budget.ts';
import { bombs } from './bombs.ts';
import { burst } from './burst.ts';
import { byVitest } from './by-vitest.ts';
import { collectors } from './collectors.ts';
import { deadCollector, drain } from './exits.ts';
import type { Check } from './finding.ts';
import { idle } from './idle.ts';
import { largeBodies, slowReaders } from './large.ts';
import { bytes, heads } from './prompt.ts';
import { relayDeath } from './relay-death.ts';
import { slowAttackers } from './slow-attackers.ts';
import { stamps } from './stamps.ts';

export const CHECKS: readonly Check[] = [
  aborts,
  heads,
  bytes,
  burst,
  slowReaders,
  largeBodies,
  idle,
  stamps,
  budget,
  collectors,
  deadCollector,
  drain,
  relayDeath,
  bombs,
  slowAttackers,
  ...byVitest,
];
