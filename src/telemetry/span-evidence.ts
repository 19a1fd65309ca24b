// What the spans of an exchange say about the engine and what it told of its own time: which one it was,
// which evidence queue and prefill rest on, and its numbers as it stated them. Pure.
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { groundsOf } from '../measure/engine-window.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { ENGINE_SAID_PREFIX, type SpanAttributeName } from './span-names.ts';
import { roundedUs } from './span-time.ts';

type Own = Partial<Record<SpanAttributeName, AttributeValue | undefined>>;

/** For both spans, because either is searched by engine. */
export function engineAttributes({ engine }: StreamRecord): Own {
  return {
    'rubato.engine.name': engine?.name,
    'rubato.engine.by': engine?.by,
    'rubato.engine.version': engine?.version,
  };
}

/**
 * Also of exchanges whose TTFT was not split: an answer in one piece has none, and evidence that
 * contradicts our clock was dropped from it.
 */
export function evidenceAttributes({ evidence }: StreamRecord): Own {
  const grounds = groundsOf(evidence);
  if (grounds === undefined) return {};
  const { basis, queue, prefill } = grounds;
  const used = [...new Set([queue, prefill])].filter((one) => one !== undefined);
  const definitions = used.flatMap(({ definition }) => definition ?? []);
  const errorsNs = used.flatMap(({ errorNs }) => errorNs ?? []);
  return {
    'rubato.evidence.source': used.map(({ source }) => source),
    'rubato.evidence.basis': basis,
    'rubato.evidence.definition': definitions.length === 0 ? undefined : definitions,
    'rubato.evidence.queue_us': us(queue?.queueNs),
    'rubato.evidence.prefill_us': us(prefill?.prefillNs),
    'rubato.evidence.error_us': errorsNs.length === 0 ? undefined : roundedUs(Math.max(...errorsNs)),
  };
}

/** Names come from the engine, so only those that look like names become part of an attribute's. */
const PATH = /^[\w.-]+$/;

export function saidAttributes({ statements }: StreamRecord): Attributes {
  const said: Attributes = {};
  for (const path in statements) if (PATH.test(path)) said[ENGINE_SAID_PREFIX + path] = statements[path];
  return said;
}

function us(lengthNs: number | undefined): number | undefined {
  return lengthNs === undefined ? undefined : roundedUs(lengthNs);
}
