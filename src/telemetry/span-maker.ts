// Spans as the SDK's processors and exporters take them, made without its tracer. That one walks through all attributes
// twice and copies them twice, with a call for every number of the chunks' columns, and asks a sampler, two clocks and
// two counters; ours are of known types, sampled by the relay and timed by it. It was a seventh of what main spends on
// an exchange. What users limit by OTEL_…_LIMIT holds here as there. Knows nothing of exchanges.
import {
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type HrTime,
  type Link,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
} from '@opentelemetry/api';
import { hrTimeDuration, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import { RandomIdGenerator, type SpanProcessor, type TimedEvent } from '@opentelemetry/sdk-trace';
import { merged, type AttributeParts, type PartedSpan } from './attribute-parts.ts';
import { limited, limitedParts, type OwnSpanLimits } from './span-limits.ts';

/** Ids that the relay decided before the request went upstream: the engine's span names ours as its parent. */
export interface PresetIds {
  readonly traceId: string;
  readonly spanId: string;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: HrTime;
  /** Clean: no key is empty. They are the span's from here on. */
  readonly attributes: AttributeParts;
  readonly links?: Link[];
  /** Undefined for the root of a trace, whose ids are preset. */
  readonly parent: SpanContext | undefined;
}

/** A span until its end. */
export interface OpenSpan {
  readonly context: SpanContext;
  addEvent(name: string, attributes: Attributes, time: HrTime): void;
  /** Its status is an error. */
  fail(): void;
  end(time: HrTime): void;
}

export interface SpanMaker {
  start(start: SpanStart, ids: PresetIds): OpenSpan;
  /** With an id of its own. */
  startChild(start: SpanStart & { readonly parent: SpanContext }): OpenSpan;
}

export interface SpanMakerOptions {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  readonly limits: OwnSpanLimits;
  /** They are told of each span that has ended. */
  readonly processors: readonly Pick<SpanProcessor, 'onEnd'>[];
}

export function createSpanMaker(options: SpanMakerOptions): SpanMaker {
  const random = new RandomIdGenerator();
  return {
    start: (start, ids) => new MadeSpan(start, ids, options),
    startChild(start) {
      return new MadeSpan(start, { traceId: start.parent.traceId, spanId: random.generateSpanId() }, options);
    },
  };
}

class MadeSpan implements OpenSpan, PartedSpan {
  readonly context: SpanContext;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: HrTime;
  readonly attributeParts: AttributeParts;
  readonly droppedAttributesCount: number;
  readonly links: Link[];
  readonly droppedLinksCount: number;
  readonly parentSpanContext?: SpanContext;
  readonly events: TimedEvent[] = [];
  droppedEventsCount = 0;
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  endTime: HrTime = [0, 0];
  ended = false;
  readonly #options: SpanMakerOptions;

  constructor(start: SpanStart, { traceId, spanId }: PresetIds, options: SpanMakerOptions) {
    const { name, kind, startTime, parent, links = [] } = start;
    const { attributeCountLimit, attributeValueLengthLimit, linkCountLimit } = options.limits;
    this.#options = options;
    this.name = name;
    this.kind = kind;
    this.startTime = startTime;
    const { parts, droppedCount } = limitedParts(start.attributes, attributeCountLimit, attributeValueLengthLimit);
    this.attributeParts = parts;
    this.droppedAttributesCount = droppedCount;
    this.droppedLinksCount = Math.max(links.length - linkCountLimit, 0);
    this.links = this.droppedLinksCount === 0 ? links : links.slice(this.droppedLinksCount);
    if (parent !== undefined) this.parentSpanContext = parent;
    const traceState = parent?.traceState;
    this.context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, ...(traceState !== undefined && { traceState }) };
  }

  get attributes(): Attributes {
    return merged(this.attributeParts);
  }

  get resource(): Resource {
    return this.#options.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#options.scope;
  }

  /** As exporters to the console print it. */
  get duration(): HrTime {
    return hrTimeDuration(this.startTime, this.endTime);
  }

  spanContext(): SpanContext {
    return this.context;
  }

  /** The latest ones are kept. */
  addEvent(name: string, added: Attributes, time: HrTime): void {
    const { eventCountLimit, attributePerEventCountLimit, attributeValueLengthLimit } = this.#options.limits;
    if (this.events.length >= eventCountLimit) {
      this.events.shift();
      this.droppedEventsCount += 1;
    }
    this.events.push({ name, time, ...limited(added, attributePerEventCountLimit, attributeValueLengthLimit) });
  }

  fail(): void {
    this.status = { code: SpanStatusCode.ERROR };
  }

  end(time: HrTime): void {
    // A span cannot end before it starts.
    this.endTime = hrTimeDuration(this.startTime, time)[0] < 0 ? this.startTime : time;
    this.ended = true;
    for (const processor of this.#options.processors) processor.onEnd(this);
  }
}
