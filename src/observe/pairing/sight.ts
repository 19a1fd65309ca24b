// One exchange as it was seen at one point: all that is needed to find the other sight of it and to lay the two
// over each other. Plain data that survives JSON, so that it can also be told to a peer. Holds hashes of the
// text and never the text.
import { fieldValue } from '../../base/fields.ts';
import type { Outcome, Phase } from '../../base/outcome.ts';
import { PAIR_ID_MAX_CHARS, SIGHT_ROWS_MAX_COUNT } from '../../base/pairing-limits.ts';
import { defined } from '../../measure/defined.ts';
import type { HopSigns } from '../../record/hop-signs.ts';
import type { Channel } from '../../record/kinds.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { TextCurve, TextLane, TextPlaces } from '../../record/text-curve.ts';
import type { RawFields } from '../../tape/entries.ts';
import { evenly } from './evenly.ts';

/** The text of one channel of one choice. Parallel columns, one entry each time it grew. */
export interface SightLane {
  readonly channel: Channel;
  readonly choice: number;
  /** Code points up to and with this growth. */
  readonly endChars: readonly number[];
  /** Behind a hop: the kernel accepted them on their way into it. Before it: first stamp of their read. */
  readonly atNs: readonly number[];
  /** Body bytes of the answer up to and with them. */
  readonly bytes: readonly number[];
  readonly lengthChars: number;
  readonly prefixHashes: readonly number[];
  readonly endHash: number;
  /** Absent where an older peer saw it. */
  readonly places?: TextPlaces;
  /** First stamps of the reads that brought the first and the last of it: nothing came out of a hop before. */
  readonly firstReceivedAtNs: number;
  readonly lastReceivedAtNs: number;
}

/** What else a hop can change. Absent means unknown or not there. */
export interface SightFacts {
  readonly status?: number;
  readonly streamed: boolean;
  /** Of a body that was read; absent where none could be. */
  readonly dialect?: string;
  readonly terminal: boolean;
  readonly endMark: boolean;
  readonly usage: boolean;
  /** Events with generated text. */
  readonly textEventCount: number;
  readonly eventCount: number;
  /** Comments and pings. */
  readonly keepAliveCount: number;
  readonly encoding?: string;
  readonly accelBuffering?: 'no' | 'yes';
  readonly cacheControl?: HopSigns['cacheControl'];
  readonly lengthStated: boolean;
  readonly model?: string;
  readonly receivedBytes: number;
}

/** By what its other sight can be found. */
export interface SightIds {
  readonly traceId?: string;
  /** Span that asked, as the request that came in named it. */
  readonly parentSpanId?: string;
  /** Span that the request that went out named. */
  readonly sentSpanId?: string;
  readonly requestId?: string;
  readonly responseId?: string;
}

/** Moments in ns on the clock that all threads of its process share. */
export interface Sight {
  readonly id: string;
  readonly ids: SightIds;
  /** The hop before which it was seen; absent where an engine is what comes next. */
  readonly edge?: string;
  readonly openedAtNs: number;
  /** A connection for the request was ready, and its last byte had been given to it. */
  readonly connectedAtNs?: number;
  readonly requestSentAtNs?: number;
  readonly headReceivedAtNs?: number;
  readonly headWrittenAtNs?: number;
  /** Absent while it is open. */
  readonly endedAtNs?: number;
  readonly outcome?: Outcome;
  readonly phase?: Phase;
  readonly facts: SightFacts;
  /** Text may be missing in the lanes. */
  readonly incomplete?: true;
  readonly lanes: readonly SightLane[];
  readonly trace?: { readonly traceId: string; readonly serverSpanId: string; readonly sampled: boolean };
}

/** At which stamp of a chunk its text counts as having been at the point. */
export type SightPoint = 'before' | 'behind';

export interface Seen {
  readonly record: StreamRecord;
  readonly text: TextCurve | undefined;
  readonly ids: SightIds;
  readonly openedAtNs: number;
}

/** The sight of an exchange that has ended. */
export function sightOf({ record, text, ids, openedAtNs }: Seen, point: SightPoint): Sight {
  const { marks, trace, answer } = record;
  const at = (sinceOpenNs: number | undefined): number | undefined =>
    sinceOpenNs === undefined ? undefined : openedAtNs + sinceOpenNs;
  return {
    id: record.id,
    ids: { ...ids, ...defined({ responseId: boundedId(answer.responseId) }) },
    openedAtNs,
    ...defined({
      edge: record.edge,
      connectedAtNs: at(marks.connectedAtNs),
      requestSentAtNs: at(marks.requestSentAtNs),
      headReceivedAtNs: at(marks.headReceivedAtNs),
      headWrittenAtNs: at(marks.headWrittenAtNs),
      endedAtNs: at(marks.clientEndAtNs),
      trace: sightTraceOf(trace),
      incomplete: text?.incomplete,
    }),
    outcome: record.end.outcome,
    phase: record.end.phase,
    facts: factsOf(record),
    lanes: text === undefined ? [] : lanesOf(record, text, { openedAtNs, point }),
  };
}

/** What a span of the other side is linked by. */
export function sightTraceOf(trace: Sight['trace']): Sight['trace'] {
  return trace && { traceId: trace.traceId, serverSpanId: trace.serverSpanId, sampled: trace.sampled };
}

/** The ids that are known when an exchange opens. */
export function openingIds(fields: RawFields, trace: OpeningTrace | undefined): SightIds {
  // Without tracing of our own the field passes through untouched, and both sights see the same one.
  const parent = trace ?? parseParent(fieldValue(fields, 'traceparent'));
  return defined({
    traceId: parent?.traceId,
    parentSpanId: parent?.parentSpanId,
    sentSpanId: trace?.clientSpanId ?? parent?.parentSpanId,
    requestId: boundedId(fieldValue(fields, 'x-request-id')),
  });
}

export interface OpeningTrace {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly clientSpanId: string;
}

/** Memory that a sight takes, roughly; for a bound. */
export function bytesOf({ lanes }: Sight): number {
  let bytes = 1_024;
  for (const { endChars, prefixHashes, places } of lanes)
    bytes += 512 + 24 * endChars.length + 8 * prefixHashes.length + 24 * (places?.chars.length ?? 0);
  return bytes;
}

function parseParent(value: string | undefined): Pick<OpeningTrace, 'traceId' | 'parentSpanId'> | undefined {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(value ?? '');
  return match === null ? undefined : { traceId: match[1] as string, parentSpanId: match[2] };
}

/** An id that is longer is cut on both sides alike, and content tells those apart that begin the same. */
function boundedId(id: string | undefined): string | undefined {
  return id === undefined || id === '' ? undefined : id.slice(0, PAIR_ID_MAX_CHARS);
}

function factsOf(record: StreamRecord): SightFacts {
  const { response, answer, tokens, events } = record;
  const { hopSigns } = response;
  return {
    ...defined({
      status: response.status,
      dialect: answer.dialect === 'opaque' || answer.unreadable !== undefined ? undefined : answer.dialect,
      encoding: response.encoding,
      accelBuffering: hopSigns?.accelBuffering,
      cacheControl: hopSigns?.cacheControl,
      model: answer.model,
    }),
    streamed: answer.streamed,
    terminal: answer.terminal,
    endMark: answer.endMark,
    usage: tokens.prompt !== undefined || tokens.basis === 'usage',
    textEventCount: events.generated.reduce((count, channels) => count + (channels === 0 ? 0 : 1), 0),
    eventCount: Object.values(answer.eventCounts).reduce((sum, count) => sum + count, 0),
    keepAliveCount: (answer.eventCounts.comment ?? 0) + (answer.eventCounts.ping ?? 0),
    lengthStated: response.framing === 'length',
    receivedBytes: response.receivedBytes,
  };
}

interface LaneContext {
  readonly openedAtNs: number;
  readonly point: SightPoint;
}

function lanesOf(record: StreamRecord, text: TextCurve, context: LaneContext): SightLane[] {
  const { bytes } = record.chunks;
  const endBytes: number[] = [];
  let sum = 0;
  for (const count of bytes) endBytes.push((sum += count));
  return text.lanes.flatMap((lane) => laneOf(record, lane, endBytes, context) ?? []);
}

/** Growths whose moment is not known are left out: a guess could accuse a hop. */
function laneOf(
  { chunks }: StreamRecord,
  lane: TextLane,
  endBytes: readonly number[],
  { openedAtNs, point }: LaneContext,
): SightLane | undefined {
  const lengthChars = lane.endChars.at(-1);
  const firstAtNs = chunks.receivedAtNs[lane.chunk[0] ?? -1];
  const lastAtNs = chunks.receivedAtNs[lane.chunk.at(-1) ?? -1];
  if (lengthChars === undefined || firstAtNs === undefined || lastAtNs === undefined) return undefined;
  const momentNs = point === 'before' ? chunks.receivedAtNs : chunks.flushedAtNs;
  const known = lane.chunk.flatMap((row, index) => (typeof momentNs[row] === 'number' ? [index] : []));
  const kept = evenly(known, SIGHT_ROWS_MAX_COUNT);
  const rowOf = (index: number): number => lane.chunk[index] as number;
  return {
    channel: lane.channel,
    choice: lane.choice,
    endChars: kept.map((index) => lane.endChars[index] as number),
    atNs: kept.map((index) => openedAtNs + (momentNs[rowOf(index)] as number)),
    bytes: kept.map((index) => endBytes[rowOf(index)] as number),
    lengthChars,
    prefixHashes: lane.prefixHashes,
    endHash: lane.endHash,
    places: lane.places,
    firstReceivedAtNs: openedAtNs + firstAtNs,
    lastReceivedAtNs: openedAtNs + lastAtNs,
  };
}
