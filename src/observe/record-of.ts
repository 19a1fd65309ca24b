// Freezes an observed exchange into its record. After this the exchange is plain data.
import { ERROR_CODES } from '../base/error-codes.ts';
import type { EngineFacts } from '../record/engines.ts';
import { sourcesConflict } from '../evidence/agreement.ts';
import { decideOutcome } from '../judge/outcome.ts';
import { defined } from '../measure/defined.ts';
import { isStampDoubtful } from '../measure/stamp-error.ts';
import {
  RECORD_SCHEMA,
  unansweredFacts,
  type ClassFacts,
  type Evidence,
  type StreamRecord,
  type TraceFacts,
} from '../record/stream-record.ts';
import type { StallContext } from '../record/stall-context.ts';
import type { EndEntry } from '../tape/entries.ts';
import { fieldList } from '../base/fields.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import type { ObservedExchange } from './observed-exchange.ts';
import { requestFacts } from './request-facts.ts';

/** `tracestate` is propagated whole; what a record keeps of it is what W3C asks to support at least. */
const TRACE_STATE_MAX_CHARS = 512;

export interface Placing {
  readonly route: string;
  /** The hop before which it was seen; undefined before an engine. */
  readonly edge: string | undefined;
  readonly labels: StreamRecord['labels'];
  /** Which engine answered; undefined when nothing told. */
  readonly engine: EngineFacts | undefined;
  readonly promptTokensEstimate: number | undefined;
  /** What went on around its stalls. */
  readonly stalls: readonly StallContext[];
}

/** The record as the exchange itself leaves it: evidence is still to be gathered. */
export function recordOf(exchange: ObservedExchange, end: EndEntry, placing: Placing): StreamRecord {
  const { route, edge, labels, engine, promptTokensEstimate, stalls } = placing;
  const { reader, metering, opening, connection, response } = exchange;
  const answer = reader?.facts() ?? unansweredFacts();
  const statements = reader?.statements();
  const openedErrorBoundNs = opening.openedErrorBoundNs > 0 ? opening.openedErrorBoundNs : undefined;
  const stamped = {
    ...defined({ openedErrorBoundNs }),
    chunks: exchange.chunks.columns,
    events: exchange.events.columns,
  };
  const doubts = [...exchange.doubts];
  if (isStampDoubtful(stamped)) doubts.push('loop_lag');
  const decided = decideOutcome({
    wire: end.wireEnd,
    status: response.status,
    answer,
    firstTokenSeen: exchange.tokenSeen,
    receivedBytes: response.receivedBytes,
    doubts,
  });
  return {
    schema: RECORD_SCHEMA,
    id: exchange.id,
    openedAtEpochMs: exchange.openedAtEpochMs,
    route,
    ...defined({ edge }),
    class: classFacts(metering.class),
    labels,
    marks: exchange.marks,
    ...(connection === undefined ? {} : { connection }),
    request: requestFacts(exchange, promptTokensEstimate, answer),
    response,
    answer,
    tokens: reader?.tokens() ?? {},
    ...(engine === undefined ? {} : { engine }),
    ...(statements === undefined ? {} : { statements }),
    evidence: [],
    ...stamped,
    blockedNs: metering.gaps.blockedNs,
    pauses: metering.gaps.pauses,
    ...(stalls.length === 0 ? {} : { stalls }),
    end: { wire: end.wireEnd, ...decided, ...reasonOf(end) },
    doubts,
    ...traceOf(exchange),
  };
}

function classFacts({ name, stallMs, objectives }: ClassSpec): ClassFacts {
  return { name, stallNs: stallMs * 1e6, ...defined({ objectives }) };
}

/** The record with what is known of the engine's own time. */
export function withEvidence(record: StreamRecord, evidence: readonly Evidence[]): StreamRecord {
  if (!sourcesConflict(evidence)) return { ...record, evidence };
  return { ...record, evidence, doubts: [...record.doubts, 'evidence_conflict'] };
}

function reasonOf(end: EndEntry): { reason?: string; code?: string } {
  if (!end.answeredByUs) return end.reason === '' ? {} : { reason: end.reason };
  // Refusals carry their code as the reason; faults of the engine have one code an end.
  if (end.reason.startsWith('RBT_')) return { code: end.reason };
  const known = end.wireEnd in ERROR_CODES ? ERROR_CODES[end.wireEnd as keyof typeof ERROR_CODES].code : undefined;
  return { ...(end.reason === '' ? {} : { reason: end.reason }), ...(known === undefined ? {} : { code: known }) };
}

function traceOf({ opening }: ObservedExchange): { trace?: TraceFacts } {
  const { trace } = opening;
  if (trace === undefined) return {};
  const { traceId, parentSpanId, serverSpanId, clientSpanId, sampled } = trace;
  const state = parentSpanId === undefined ? undefined : fieldList(opening.fields, 'tracestate');
  return {
    trace: {
      traceId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      serverSpanId,
      clientSpanId,
      sampled,
      ...(state === undefined ? {} : { traceState: state.slice(0, TRACE_STATE_MAX_CHARS) }),
    },
  };
}
