// What the SERVER span says of objectives: which were not kept, which cannot be judged, and whether the exchange was
// good. Names come from configuration; they are a closed set.
import type { AttributeValue } from '@opentelemetry/api';
import type { Met } from '../judge/slo/verdict.ts';
import type { Report } from '../judge/report.ts';
import type { SpanAttributeName } from './span-names.ts';

export function sloAttributes({ slo, record }: Report): Partial<Record<SpanAttributeName, AttributeValue | undefined>> {
  const named = (wanted: Met): string[] | undefined => {
    const names = (slo?.objectives ?? []).filter(({ met }) => met === wanted).map(({ name }) => name);
    return names.length > 0 ? names : undefined;
  };
  const unreadable = record.request.asked?.unreadable;
  return {
    'rubato.slo.good': slo?.good,
    'rubato.slo.missed': named('false'),
    'rubato.slo.unknown': named('unknown'),
    'rubato.slo.asked_unreadable': unreadable === undefined ? undefined : [...unreadable],
  };
}
