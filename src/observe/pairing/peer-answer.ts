// What one rubato tells another of the exchanges it saw: the question as a query of `/api/pairing`, the answer as
// JSON, and the reading of an answer, of which nothing is taken on trust. Holds no text, only hashes of it.
import { randomUUID } from 'node:crypto';
import { OUTCOMES, PHASES } from '../../base/outcome.ts';
import { PAIR_ID_MAX_CHARS, PEER_BATCH_MAX_COUNT, PEER_SIGHTS_MAX_COUNT } from '../../base/pairing-limits.ts';
import { CHANNELS } from '../../record/kinds.ts';
import { asArray, asObject, parseJson } from '../../stream/json-value.ts';
import type { PairBook } from './pair-book.ts';
import { keyOf, shareKey } from './pair-keys.ts';
import type { Sight, SightLane } from './sight.ts';

export const PEER_SCHEMA = 1;
/** Where a rubato is asked. */
export const PEER_PATH = '/api/pairing';

export interface PeerAnswer {
  readonly schema: typeof PEER_SCHEMA;
  /** Of this life of the process: another one has another clock. */
  readonly process: string;
  readonly sights: readonly Sight[];
  /** Sights that were not told because there were too many. */
  readonly leftOutCount: number;
}

const BASES = ['trace', 'request', 'response'] as const;
const PROCESS = randomUUID();
/** Ids in one question: each exchange has one of each kind at most. */
const IDS_MAX_COUNT = PEER_BATCH_MAX_COUNT * BASES.length;

/** The query that asks for the other sights of these. */
export function peerQuery(sights: readonly Sight[]): string {
  const query = new URLSearchParams();
  for (const { ids } of sights) {
    if (ids.traceId !== undefined) query.append('trace', ids.traceId);
    if (ids.requestId !== undefined) query.append('request', ids.requestId);
    if (ids.responseId !== undefined) query.append('response', ids.responseId);
  }
  return query.toString();
}

/** Answers a peer's query (`trace=…&request=…&response=…`, each as often as wanted) out of the book. */
export function answerPeer(book: Pick<PairBook, 'look'>, query: string): PeerAnswer {
  const asked = new URLSearchParams(query);
  const keys = BASES.flatMap((basis) =>
    asked.getAll(basis).map((id) => keyOf(basis, id.slice(0, PAIR_ID_MAX_CHARS))),
  ).slice(0, IDS_MAX_COUNT);
  const found = keys.flatMap((key) => book.look([key]));
  const sights = [...new Map(found.map((sight) => [sight.id, sight])).values()];
  return {
    schema: PEER_SCHEMA,
    process: PROCESS,
    sights: sights.slice(0, PEER_SIGHTS_MAX_COUNT),
    leftOutCount: Math.max(0, sights.length - PEER_SIGHTS_MAX_COUNT),
  };
}

/** Undefined for anything that no rubato of this schema answers. */
export function readPeerAnswer(text: string): PeerAnswer | undefined {
  const answer = asObject(parseJson(text));
  const sights = asArray(answer?.['sights']);
  const process = answer?.['process'];
  if (answer?.['schema'] !== PEER_SCHEMA || typeof process !== 'string' || sights === undefined) return undefined;
  const left = answer['leftOutCount'];
  return {
    schema: PEER_SCHEMA,
    process: process.slice(0, PAIR_ID_MAX_CHARS),
    sights: sights.slice(0, PEER_SIGHTS_MAX_COUNT).filter(isSight),
    leftOutCount: isCount(left) ? left : 0,
  };
}

/** Whether a sight of this answer could be that of this exchange. */
export function sharesKey(one: Sight, other: Sight): boolean {
  return BASES.some((basis) => shareKey(basis, one, other));
}

function isSight(value: unknown): value is Sight {
  const sight = asObject(value);
  const ids = asObject(sight?.['ids']);
  const facts = asObject(sight?.['facts']);
  const lanes = asArray(sight?.['lanes']);
  if (sight === undefined || ids === undefined || facts === undefined || lanes === undefined) return false;
  const moments = ['connectedAtNs', 'requestSentAtNs', 'headReceivedAtNs', 'headWrittenAtNs', 'endedAtNs'];
  const trace = sight['trace'];
  return (
    isText(sight['id']) &&
    isMoment(sight['openedAtNs']) &&
    moments.every((name) => sight[name] === undefined || isMoment(sight[name])) &&
    Object.values(ids).every(isText) &&
    (sight['outcome'] === undefined || isOneOf(OUTCOMES, sight['outcome'])) &&
    (sight['phase'] === undefined || isOneOf(PHASES, sight['phase'])) &&
    ['textEventCount', 'eventCount', 'keepAliveCount', 'receivedBytes'].every((name) => isCount(facts[name])) &&
    (trace === undefined || isTrace(trace)) &&
    lanes.every(isLane)
  );
}

function isTrace(value: unknown): boolean {
  const trace = asObject(value);
  const isHex = (id: unknown, digits: number): boolean =>
    typeof id === 'string' && id.length === digits && /^[0-9a-f]+$/.test(id);
  return trace !== undefined && isHex(trace['traceId'], 32) && isHex(trace['serverSpanId'], 16);
}

function isLane(value: unknown): value is SightLane {
  const lane = asObject(value);
  if (lane === undefined || !isOneOf(CHANNELS, lane['channel'])) return false;
  const columns = ['endChars', 'atNs', 'bytes', 'prefixHashes'].map((name) => lane[name]);
  const [endChars = [], atNs = [], bytes = []] = columns.map((column) => asArray(column));
  return (
    columns.every((column) => asArray(column)?.every(isMoment) === true) &&
    endChars.length === atNs.length &&
    endChars.length === bytes.length &&
    ['choice', 'lengthChars', 'endHash'].every((name) => isCount(lane[name])) &&
    ['firstReceivedAtNs', 'lastReceivedAtNs'].every((name) => isMoment(lane[name]))
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= PAIR_ID_MAX_CHARS;
}

function isMoment(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOneOf(names: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && names.includes(value);
}
