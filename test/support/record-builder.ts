// Builds stream records in few words, for tests of everything that reads records. Moments are given in
// ms and kept in integer ns; what is not said has the plainest value.
//
//   buildRecord({ reads: [read(100, 'role'), read(1200, 'text'), read(1220, 'text finish'), read(1225, 'done')] })
import type { WireEnd } from '../../src/base/outcome.ts';
import { ChunkLog } from '../../src/record/chunk-log.ts';
import { EventLog } from '../../src/record/event-log.ts';
import { type Channel, channelBit, type Doubt, type EventKind } from '../../src/record/kinds.ts';
import {
  type AnswerFacts,
  type ConnectionFacts,
  type Evidence,
  type Marks,
  type Pause,
  RECORD_SCHEMA,
  type RequestFacts,
  type ResponseFacts,
  type StreamRecord,
  type TokenFacts,
} from '../../src/record/stream-record.ts';
import { decideOutcome } from '../../src/judge/outcome.ts';

/** From received to written, and from received to flushed, unless a read says otherwise. */
export const WRITE_AFTER_NS = 10_000;
export const FLUSH_AFTER_NS = 25_000;
const BYTES_PER_EVENT = 100;

/** Events by the words that name them: channels carry a generated fragment, kinds do not. */
const WORDS: Readonly<Record<string, { kind: EventKind; channel?: Channel }>> = {
  text: { kind: 'content', channel: 'text' },
  reasoning: { kind: 'reasoning', channel: 'reasoning' },
  refusal: { kind: 'refusal', channel: 'refusal' },
  tool: { kind: 'tool', channel: 'tool' },
  audio: { kind: 'media', channel: 'audio' },
  image: { kind: 'media', channel: 'image' },
  role: { kind: 'role' },
  usage: { kind: 'usage' },
  finish: { kind: 'finish' },
  lifecycle: { kind: 'lifecycle' },
  ping: { kind: 'ping' },
  comment: { kind: 'comment' },
  error: { kind: 'error' },
  done: { kind: 'done' },
  other: { kind: 'other' },
};

export interface ReadSpec {
  readonly atMs: number;
  /** One string a chunk, its events as words in a row; `text:4` states 4 output tokens so far. */
  readonly chunks: readonly string[];
  /** Received → written. */
  readonly writeAfterNs: number;
  /** Received → accepted by the kernel; null for never. */
  readonly flushAfterNs: number | null;
  readonly errorBoundNs: number;
  /** Bits of the chunk log's flags, for each chunk of the read. */
  readonly flags: number;
}

/** One read. `chunks` is the words of one chunk, or a list of chunks that came in the same read. */
export function read(
  atMs: number,
  chunks: string | readonly string[],
  overrides: Partial<Omit<ReadSpec, 'atMs' | 'chunks'>> = {},
): ReadSpec {
  return {
    atMs,
    chunks: typeof chunks === 'string' ? [chunks] : chunks,
    writeAfterNs: WRITE_AFTER_NS,
    flushAfterNs: FLUSH_AFTER_NS,
    errorBoundNs: 0,
    flags: 0,
    ...overrides,
  };
}

/** `count` reads with one text event each, `everyMs` apart. */
export function texts(fromMs: number, everyMs: number, count: number): ReadSpec[] {
  return Array.from({ length: count }, (_, index) => read(fromMs + index * everyMs, 'text'));
}

export interface RecordSpec {
  readonly reads?: readonly ReadSpec[];
  readonly wire?: WireEnd;
  /** null: no head came. */
  readonly status?: number | null;
  readonly stallMs?: number;
  /** Overrides in ns. Unless said: everything up to the request sent at 0, the head with the first read. */
  readonly marks?: Marks;
  readonly connection?: ConnectionFacts;
  readonly request?: Partial<RequestFacts>;
  readonly response?: Partial<ResponseFacts>;
  readonly answer?: Partial<AnswerFacts>;
  readonly tokens?: TokenFacts;
  readonly evidence?: readonly Evidence[];
  /** From, to, from, to … in ms. */
  readonly blockedMs?: readonly number[];
  readonly pauses?: readonly Pause[];
  readonly doubts?: readonly Doubt[];
}

export function ms(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

export function buildRecord(spec: RecordSpec = {}): StreamRecord {
  const reads = spec.reads ?? [];
  const chunks = new ChunkLog();
  const events = new EventLog();
  for (const one of reads) addRead(one, chunks, events);
  const wire = spec.wire ?? 'complete';
  const status = spec.status === undefined ? 200 : (spec.status ?? undefined);
  const answer = answerOf(spec, events, status);
  const doubts = spec.doubts ?? [];
  const firstTokenSeen = events.columns.generated.some((channels) => channels !== 0);
  const receivedBytes = spec.response?.receivedBytes ?? chunks.totalBytes;
  return {
    schema: RECORD_SCHEMA,
    id: '0-1',
    openedAtEpochMs: 1_796_000_000_000,
    route: 'default',
    class: { name: 'default', stallNs: ms(spec.stallMs ?? 100) },
    labels: { model: 'm', promptBucket: 'unknown' },
    marks: marksOf(spec, chunks, status),
    ...(spec.connection === undefined ? {} : { connection: spec.connection }),
    request: { method: 'POST', path: '/v1/chat/completions', bodyBytes: 60, model: 'm', stream: true, ...spec.request },
    response: {
      ...(status === undefined ? {} : { status, framing: 'chunked', mediaType: 'text/event-stream' }),
      receivedBytes: chunks.totalBytes,
      deliveredBytes: chunks.totalBytes,
      chunkCount: chunks.totalCount,
      ...spec.response,
    },
    answer,
    tokens: spec.tokens ?? {},
    evidence: spec.evidence ?? [],
    chunks: chunks.columns,
    events: events.columns,
    blockedNs: (spec.blockedMs ?? []).map(ms),
    pauses: spec.pauses ?? [],
    end: { wire, ...decideOutcome({ wire, status, answer, firstTokenSeen, receivedBytes, doubts }) },
    doubts,
  };
}

function addRead(one: ReadSpec, chunks: ChunkLog, events: EventLog): void {
  const receivedAtNs = ms(one.atMs);
  for (const words of one.chunks) {
    const names = words.split(' ').filter((word) => word !== '');
    const row = chunks.add({
      receivedAtNs,
      writtenAtNs: receivedAtNs + one.writeAfterNs,
      errorBoundNs: one.errorBoundNs,
      bytes: BYTES_PER_EVENT * names.length,
      queuedBytes: 0,
      flags: one.flags,
    });
    if (row === undefined) throw new Error('more chunks than a log keeps');
    if (one.flushAfterNs !== null) chunks.flush(row, receivedAtNs + one.flushAfterNs);
    for (const name of names) addEvent(name, row, events);
  }
}

function addEvent(name: string, chunk: number, events: EventLog): void {
  const [word = '', tokens] = name.split(':');
  const meaning = WORDS[word];
  if (meaning === undefined) throw new Error(`no such event word: ${word}`);
  events.add({
    chunk,
    kind: meaning.kind,
    generated: meaning.channel === undefined ? 0 : channelBit(meaning.channel),
    tokensSoFar: tokens === undefined ? undefined : Number(tokens),
  });
}

function answerOf(spec: RecordSpec, events: EventLog, status: number | undefined): AnswerFacts {
  const words = (spec.reads ?? []).flatMap((one) => one.chunks).flatMap((chunk) => chunk.split(' '));
  const endMark = words.includes('done');
  const finished = words.includes('finish');
  const counts = [...new Set(words)].flatMap((word) => WORDS[word.split(':')[0] ?? '']?.kind ?? []);
  return {
    dialect: 'openai-chat',
    streamed: status !== undefined && status < 400,
    terminal: endMark || finished,
    endMark,
    finishReasons: finished ? ['stop'] : [],
    choiceCount: events.columns.generated.some((channels) => channels !== 0) ? 1 : 0,
    ...(words.includes('error') ? { errorType: 'server_error' } : {}),
    eventCounts: Object.fromEntries(counts.map((kind) => [kind, countOf(kind, words)])),
    ...spec.answer,
  };
}

function countOf(kind: EventKind, words: readonly string[]): number {
  return words.filter((word) => WORDS[word.split(':')[0] ?? '']?.kind === kind).length;
}

function marksOf(spec: RecordSpec, chunks: ChunkLog, status: number | undefined): Marks {
  const { receivedAtNs, flushedAtNs } = chunks.columns;
  const headAtNs = receivedAtNs[0] ?? 0;
  const upstreamEndAtNs = receivedAtNs.at(-1) ?? 0;
  return {
    uploadEndAtNs: 0,
    connectStartAtNs: 0,
    connectedAtNs: 0,
    requestSentAtNs: 0,
    ...(status === undefined ? {} : { headReceivedAtNs: headAtNs, headWrittenAtNs: headAtNs + WRITE_AFTER_NS }),
    upstreamEndAtNs,
    clientEndAtNs: Math.max(upstreamEndAtNs, ...flushedAtNs.slice(-1).map((atNs) => atNs ?? 0)),
    ...spec.marks,
  };
}
