// Recent gaps of each class in fine bins, and where they heap up. Counted from the values that the summary keeps, and
// only when somebody looks. Pure.
import { bucketOf, edgeNs, LOG_BUCKET_COUNT } from '../../judge/diagnosis/log-counts.ts';
import { shapeOf } from '../../judge/diagnosis/gap-shape.ts';
import { defined } from '../../measure/defined.ts';
import type { GapHistogram } from './frame.ts';

export function gapHistogram(name: string, gapsNs: readonly number[]): GapHistogram {
  const counts = new Uint32Array(LOG_BUCKET_COUNT);
  for (const gapNs of gapsNs) {
    const bucket = bucketOf(gapNs);
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  const bins = [...counts.entries()].flatMap(([bucket, count]) =>
    count === 0
      ? []
      : [{ fromNs: bucket === 0 ? 0 : Math.round(edgeNs(bucket)), toNs: Math.round(edgeNs(bucket + 1)), count }],
  );
  return { class: name, count: gapsNs.length, bins, ...defined({ shape: shapeOf(counts) }) };
}
