// The host, not the accelerator: one mode, and it is far above what the hardware allows although few streams run.
// Where more streams make steps longer in the usual way, this is not it.
import type { Finding } from './finding.ts';
import { rankOf } from '../rank.ts';
import { spoken, toMs, type DiagnosisView } from './view.ts';

/** Steps so long of the floor have another owner. */
const ABOVE_FLOOR_RATIO = 2;
const SMALL_BATCH_COUNT = 4;

export function findHost({ facts, shape, busy }: DiagnosisView): Finding | undefined {
  const { floorNs } = facts;
  if (floorNs === undefined || shape === undefined || shape.modes.length > 1) return undefined;
  const ratio = shape.main.atNs / floorNs;
  const running = rankOf(
    busy.map(({ runningCount }) => runningCount),
    50,
  );
  if (ratio < ABOVE_FLOOR_RATIO || running > SMALL_BATCH_COUNT) return undefined;
  return {
    cause: 'host_overhead',
    weight: Math.min(1, ratio / 4),
    says:
      `Every step takes ${spoken(shape.main.atNs)} with ${running.toFixed(1)} streams running, ${ratio.toFixed(1)} times ` +
      `what the hardware allows (${spoken(floorNs)}): the time goes by outside the accelerator.`,
    numbers: { stepMs: toMs(shape.main.atNs), floorMs: toMs(floorNs), runningCount: running },
  };
}
