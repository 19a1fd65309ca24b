// Behind the engine: gaps grow between rubato and the client, or a hop that was seen on both sides holds text. The
// engine's own figures are good then.
import type { Finding } from './finding.ts';
import { percentileNs } from './log-counts.ts';
import { percent, spoken, toMs, type DiagnosisView } from './view.ts';

const WIDER_RATIO = 1.3;
const WIDER_LEAST_NS = 5_000_000;
const HELD_LEAST_RATIO = 0.5;
const HOP_LEAST_COUNT = 5;

export function findDownstream({ facts }: DiagnosisView): Finding | undefined {
  const received = percentileNs(facts.now.gaps, 95);
  const flushed = percentileNs(facts.gapsFlushed, 95);
  const wider =
    received !== undefined &&
    flushed !== undefined &&
    flushed >= WIDER_RATIO * received &&
    flushed - received >= WIDER_LEAST_NS;
  const heldRatio = facts.hopJudgedCount < HOP_LEAST_COUNT ? 0 : facts.hopHeldCount / facts.hopJudgedCount;
  const held = heldRatio >= HELD_LEAST_RATIO;
  if (!wider && !held) return undefined;
  const reasons: string[] = [];
  if (held) reasons.push(`a hop before it held text in ${percent(heldRatio)} of the exchanges seen on both sides`);
  if (wider) reasons.push(`gaps p95 are ${spoken(received)} from the engine and ${spoken(flushed)} to the clients`);
  return {
    cause: 'downstream',
    weight: held ? 0.9 : Math.min(0.8, 0.3 + (flushed as number) / (received as number) / 10),
    says: `It is lost behind the engine: ${reasons.join('; ')}.`,
    numbers: {
      heldRatio,
      ...(received !== undefined && { receivedP95Ms: toMs(received) }),
      ...(flushed !== undefined && { flushedP95Ms: toMs(flushed) }),
    },
  };
}
