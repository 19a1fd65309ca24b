// Reads the spans of a trace request without keeping the main thread: in slices of a few milliseconds,
// between which everything else gets its turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nowNs } from '../../base/clock.ts';
import { OTLP_JSON_READ_MAX_BYTES, OTLP_READ_SLICE_MS, OTLP_REQUEST_SPANS_MAX_COUNT } from '../../base/otlp-limits.ts';
import type { EngineSpan } from '../../evidence/engine-span.ts';
import { JSON_TYPE, type PayloadType } from './signals.ts';
import { jsonSpans } from './trace-json.ts';
import { protobufSpans } from './trace-protobuf.ts';

/** Steps between two looks at the clock; a step costs about a microsecond. */
const STEPS_PER_LOOK = 64;
/** Steps of a request without a span in sight, such as millions of empty fields, before it is given up. */
const IDLE_STEPS_MAX_COUNT = 100_000;

export interface SpanReading {
  readonly spanCount: number;
  /** The request was too large to be read, or to be read to its end. */
  readonly cut: boolean;
}

/** Hands over each span. Rejects with a MalformedError for what is no trace request. */
export async function readSpans(
  type: PayloadType,
  bytes: Buffer,
  onSpan: (span: EngineSpan) => void,
): Promise<SpanReading> {
  // JSON is parsed in one go, so that its size is the only bound on the time that takes.
  if (type === JSON_TYPE && bytes.length > OTLP_JSON_READ_MAX_BYTES) return { spanCount: 0, cut: true };
  const spans = type === JSON_TYPE ? jsonSpans(bytes) : protobufSpans(bytes);
  let spanCount = 0;
  let idleSteps = 0;
  let sliceStartNs = nowNs();
  for (let steps = 1, step = spans.next(); !step.done; steps += 1, step = spans.next()) {
    if (step.value === undefined) idleSteps += 1;
    else {
      spanCount += 1;
      onSpan(step.value);
    }
    if (spanCount >= OTLP_REQUEST_SPANS_MAX_COUNT || idleSteps >= IDLE_STEPS_MAX_COUNT) return { spanCount, cut: true };
    if (steps % STEPS_PER_LOOK !== 0 || nowNs() - sliceStartNs < OTLP_READ_SLICE_MS * 1e6) continue;
    await nextTurn();
    sliceStartNs = nowNs();
  }
  return { spanCount, cut: false };
}
