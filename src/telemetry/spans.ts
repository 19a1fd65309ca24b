// The sink that makes the spans of an exchange, once it is over and only if its trace is sampled.
//
//   caller's span
//   └ POST /v1/chat/completions   SERVER   request head received → last byte accepted for the client
//     └ chat {model}              CLIENT   connection asked for → last byte received from the engine
//       ├ (the engine's own spans: our CLIENT id went upstream in `traceparent`)
//       ├ queue, prefill, decode  INTERNAL where the engine told us
//       └ rubato.chunks           INTERNAL every chunk
//
// Before a hop the CLIENT span links to the SERVER span of the same exchange behind it.
import { createTraceState, isSpanContextValid, SpanKind, TraceFlags, type SpanContext } from '@opentelemetry/api';
import type { Report, Sink } from '../judge/report.ts';
import type { StreamRecord, TraceFacts } from '../record/stream-record.ts';
import { isClientError, isServerError } from './exchange-facts.ts';
import { knownMethod, routeOf } from './names.ts';
import { clientAttributes, serverAttributes, type UpstreamAddress } from './span-attributes.ts';
import { addChunks, addMoments, addPhases, isKept, type ChunkForm, type SpanScope } from './span-details.ts';
import { hopLinks } from './span-hop.ts';
import type { OpenSpan, SpanMaker } from './span-maker.ts';
import { hrTimeOf } from './span-time.ts';

export interface SpanSinkOptions {
  readonly maker: SpanMaker;
  readonly chunks: 'all' | 'kept' | 'off';
  readonly chunksAs: ChunkForm;
  /** TTFT from which an exchange is slow, so that `kept` keeps its chunks. */
  readonly slowTtftNs: number;
  /** `gen_ai.provider.name`. */
  readonly provider: string;
  /** Upstream by the name of its route. */
  readonly upstreams: ReadonlyMap<string, UpstreamAddress>;
}

export function createSpanSink(options: SpanSinkOptions): Sink {
  return {
    name: 'spans',
    onReport(report) {
      const facts = report.record.trace;
      if (facts?.sampled === true) writeSpans(report, facts, options);
    },
  };
}

function writeSpans(report: Report, facts: TraceFacts, options: SpanSinkOptions): void {
  const { record, figures } = report;
  const timeOf: SpanScope['timeOf'] = (atNs) => hrTimeOf(record.openedAtEpochMs, atNs);
  const server = options.maker.start(
    {
      name: serverName(record),
      kind: SpanKind.SERVER,
      startTime: timeOf(0),
      attributes: serverAttributes(report),
      parent: callerOf(facts),
    },
    { traceId: facts.traceId, spanId: facts.serverSpanId },
  );
  addMoments(server, report, timeOf);
  writeClient(report, { server, facts, timeOf, options });
  if (isServerError(record)) server.fail();
  server.end(timeOf(figures.durationNs));
}

interface ClientParts {
  readonly server: OpenSpan;
  readonly facts: TraceFacts;
  readonly timeOf: SpanScope['timeOf'];
  readonly options: SpanSinkOptions;
}

/** The CLIENT span, unless the exchange ended before anything was asked of an upstream. */
function writeClient(report: Report, { server, facts, timeOf, options }: ClientParts): void {
  const { record, figures } = report;
  const startAtNs = clientStartAtNs(record);
  if (startAtNs === undefined) return;
  const upstream = options.upstreams.get(record.route);
  const client = options.maker.start(
    {
      name: clientName(report),
      kind: SpanKind.CLIENT,
      startTime: timeOf(startAtNs),
      attributes: clientAttributes(report, { provider: options.provider, upstream, startAtNs }),
      links: hopLinks(report),
      parent: server.context,
    },
    { traceId: facts.traceId, spanId: facts.clientSpanId },
  );
  const scope: SpanScope = { maker: options.maker, parent: client.context, timeOf };
  addPhases(scope, report);
  const withChunks = options.chunks === 'all' || (options.chunks === 'kept' && isKept(report, options.slowTtftNs));
  if (withChunks) addChunks(scope, report, { form: options.chunksAs, startAtNs });
  if (isClientError(record)) client.fail();
  client.end(timeOf(Math.max(startAtNs, record.marks.upstreamEndAtNs ?? figures.durationNs)));
}

/** The caller's span; none when the trace began with us. */
function callerOf({ traceId, parentSpanId: spanId, traceState }: TraceFacts): SpanContext | undefined {
  if (spanId === undefined) return undefined;
  const caller = {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
    ...(traceState !== undefined && { traceState: createTraceState(traceState) }),
  };
  return isSpanContextValid(caller) ? caller : undefined;
}

/** A path of an API we know is a route; any other is text of the client and stays out of names. */
function serverName({ request }: StreamRecord): string {
  const route = routeOf(request.path)?.route;
  return route === undefined ? knownMethod(request.method) : `${knownMethod(request.method)} ${route}`;
}

/** With the model as a label, because the one in the request is text of the client. */
function clientName({ record, labels }: Report): string {
  const operation = routeOf(record.request.path)?.operation;
  return operation === undefined ? knownMethod(record.request.method) : `${operation} ${labels.model}`;
}

function clientStartAtNs({ marks }: StreamRecord): number | undefined {
  return marks.connectStartAtNs ?? marks.connectedAtNs ?? marks.requestSentAtNs ?? marks.headReceivedAtNs;
}
