// The largest exchange that a record can hold: every attribute that can be there at once, every text as long as
// the reader of the wire lets through and in characters of three bytes, more chunks than are listed, numbers that
// take many bytes. Knows the caps of names, nothing of exporters.
import {
  CHOICES_MAX_COUNT,
  ENGINE_VERSION_MAX_CHARS,
  ERROR_TYPE_MAX_CHARS,
  FINISH_REASON_MAX_CHARS,
  NAME_MAX_CHARS,
  SPAN_CHUNKS_MAX_COUNT,
  STATEMENT_PATH_MAX_CHARS,
  STATEMENTS_MAX_COUNT,
} from '../../../src/base/limits.ts';
import { JOB_ID_MAX_CHARS } from '../../../src/base/demand-limits.ts';
import { OBJECTIVES_MAX_COUNT } from '../../../src/base/objective-limits.ts';
import type { Report } from '../../../src/judge/report.ts';
import { measureRecord } from '../../../src/measure/measure-record.ts';
import { HOP_CHANGES } from '../../../src/record/hop-facts.ts';
import { DOUBTS } from '../../../src/record/kinds.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import { buildRecord, ms, read, type ReadSpec } from '../../support/record-builder.ts';
import { TRACE } from './reports.ts';

/** Every row's numbers take five bytes each as protobuf writes them, a flush that is not known takes ten. */
const GAP_MS = 600_000;
const LONG_GAP_MS = 2_700_000;
/** A stall is four times the usual gap; these are, often enough for every event that a span may have. */
const LONG_EVERY_COUNT = 400;
const LATE_NS = 300_000 * 1e6;
const CHUNK_BYTES = 16 * 1024 * 1024;
/** Three bytes in UTF-8, one unit in a string of ours. */
const WIDE = '語';

const PATH = '/v1/chat/completions';
/** With one of these nobody knows which token was the last, and there is no span `decode`. */
const LOSSES: ReadonlySet<string> = new Set(['tape_bytes', 'tape_chunks', 'log_full', 'parse_overflow', 'unreadable']);

/** Text that would like to be more than a value, as long as its cap allows. */
export function hostile(maxChars: number): string {
  return `"\r\n\0\u2028<b>`.padEnd(maxChars, WIDE).slice(0, maxChars);
}

function name(maxChars: number, index: number): string {
  return `n${index}.`.padEnd(maxChars, 'x').slice(0, maxChars);
}

/** More chunks than a span lists, each but the first ones never accepted by the kernel. */
function longReads(): ReadSpec[] {
  const reads = [read(100, 'role'), read(200, 'text'), read(300, 'text'), read(400, 'text')];
  let atMs = 400;
  for (let row = 4; row < SPAN_CHUNKS_MAX_COUNT + 100; row += 1) {
    atMs += row % LONG_EVERY_COUNT === 0 ? LONG_GAP_MS : GAP_MS;
    reads.push(read(atMs, 'text', { writeAfterNs: LATE_NS, flushAfterNs: null }));
  }
  return reads;
}

function facts(): Partial<StreamRecord> {
  const said = Array.from({ length: STATEMENTS_MAX_COUNT }, (_, index) => [
    name(STATEMENT_PATH_MAX_CHARS, index),
    1 / 3 + index,
  ]);
  const ids = { inner: '63-9007199254740991', of: '63-9007199254740990', first: '63-9007199254740989' };
  const inner = {
    id: ids.inner,
    openedAtNs: 1,
    eventCount: 1,
    receivedBytes: 1,
    trace: { ...TRACE, traceId: 'b'.repeat(32) },
  };
  return {
    id: '63-9007199254740991',
    route: hostile(NAME_MAX_CHARS),
    trace: { ...TRACE, traceState: 'k='.padEnd(512, 'v') },
    engine: { name: 'vllm', by: 'body', version: hostile(ENGINE_VERSION_MAX_CHARS) },
    statements: Object.fromEntries(said) as Record<string, number>,
    job: { id: name(JOB_ID_MAX_CHARS, 0), size: 100_000_000 },
    retryOf: { sign: 'idempotency_key', attempt: 1_000, of: ids.of, first: ids.first },
    hop: {
      name: hostile(NAME_MAX_CHARS),
      pairedBy: 'response',
      confirmed: true,
      attemptCount: 64,
      inner,
      curve: { channel: [], choice: [], endChars: [], innerAtNs: [], innerBytes: [], outerAtNs: [] },
      changes: HOP_CHANGES,
      clockErrorNs: ms(GAP_MS),
      abortNs: ms(GAP_MS),
    },
  };
}

/** What cannot stand beside the rest on one exchange, and so is on no span of this one. */
export const ELSEWHERE: readonly string[] = [
  'rubato.no_first_token', // there is a first token
  'rubato.ttft.engine_us', // the rest of a split that is not exact; here it is `other`
  'rubato.engine.said.<path>', // stands for the names of an engine
  'rubato.hop.unpaired', // there is a pair
];

export function worstReport(): Report {
  const record: StreamRecord = { ...worstRecord(), ...facts() };
  const wide = { word: 'holds', way: 'compression', confidence: 0.123456789, numbers: {} } as const;
  const signs = Array.from({ length: 16 }, (_, index) => name(NAME_MAX_CHARS, index));
  const lengthNs = ms(GAP_MS);
  const figures = measureRecord(record);
  const names = Array.from({ length: OBJECTIVES_MAX_COUNT }, (_, index) => hostile(NAME_MAX_CHARS - 2) + index);
  return {
    record,
    figures: { ...figures, thinkingNs: 1e15, ttftPer1kNs: 1e15, tpotNs: 1e15 },
    labels: {
      class: hostile(NAME_MAX_CHARS),
      model: hostile(NAME_MAX_CHARS),
      route: hostile(NAME_MAX_CHARS),
      promptBucket: 'unknown',
    },
    outputBucket: 'unknown',
    delivery: { ...wide, signs },
    hop: {
      ...wide,
      hop: hostile(NAME_MAX_CHARS),
      signs,
      holdMaxNs: lengthNs,
      holdP50Ns: lengthNs,
      holdP95Ns: lengthNs,
      ttftAddedNs: lengthNs,
      gapJitterAddedNs: lengthNs,
    },
    slo: {
      good: 'unknown',
      objectives: names.map((each, index) => ({ name: each, met: index % 2 === 0 ? 'false' : 'unknown' })),
    },
    stalls: figures.stalls.map(({ chunk, gapNs }) => ({
      chunk,
      gapNs,
      cause: 'prefill_interference',
      confidence: 0.123456789,
      signs,
      numbers: Object.fromEntries(signs.map((sign) => [sign, 1 / 3])),
    })),
  };
}

function worstRecord(): StreamRecord {
  const record = buildRecord({
    reads: longReads(),
    wire: 'upstream_aborted',
    marks: {
      uploadEndAtNs: ms(1),
      admittedAtNs: ms(2),
      connectStartAtNs: ms(3),
      connectedAtNs: ms(5),
      requestSentAtNs: ms(6),
    },
    connection: { reused: false, retried: true, tcpNs: ms(1), wireFloorNs: ms(1) },
    request: {
      method: 'X'.repeat(32),
      path: hostile(NAME_MAX_CHARS - PATH.length) + PATH,
      model: hostile(NAME_MAX_CHARS),
      choices: CHOICES_MAX_COUNT,
      maxTokens: 65_536,
      otherClockStartEpochMs: 1_796_000_000_000.123,
      asked: { unreadable: ['ttft', 'tpot', 'gap'] },
    },
    response: { clientUnackedMaxBytes: 2 ** 40 },
    answer: {
      choiceCount: CHOICES_MAX_COUNT,
      finishReasons: Array.from({ length: CHOICES_MAX_COUNT }, () => hostile(FINISH_REASON_MAX_CHARS)),
      errorType: hostile(ERROR_TYPE_MAX_CHARS),
      model: hostile(NAME_MAX_CHARS),
      responseId: hostile(NAME_MAX_CHARS),
    },
    tokens: { prompt: 2 ** 40, cached: 2 ** 40, output: 2 ** 40, reasoning: 2 ** 40, basis: 'token_ids' },
    evidence: [
      { source: 'vllm-span', basis: 'exact', definition: name(NAME_MAX_CHARS, 0), queueNs: ms(20), errorNs: 5 },
      { source: 'vllm-body', basis: 'exact', definition: name(NAME_MAX_CHARS, 1), prefillNs: ms(30), errorNs: 5 },
    ],
    blockedMs: [250, 260],
    doubts: DOUBTS.filter((doubt) => !LOSSES.has(doubt)),
  });
  const { bytes, ...columns } = record.chunks;
  const end = { ...record.end, reason: hostile(NAME_MAX_CHARS), code: name(NAME_MAX_CHARS, 0) };
  return { ...record, chunks: { ...columns, bytes: bytes.map(() => CHUNK_BYTES) }, end };
}
