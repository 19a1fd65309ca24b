// What one rubato tells another of the exchanges it saw: the question as a query of `/api/pairing`, the answer as
// JSON, and the reading of an answer, of which nothing is taken on trust. Holds no text, only hashes of it.
import { randomUUID } from 'node:crypto';
import { OUTCOMES, PHASES } from '../../base/outcome.ts';
import {
  PAIR_ID_MAX_CHARS,
  PEER_BATCH_MAX_COUNT,
  PEER_SIGHTS_MAX_COUNT,
  PEER_SIGHTS_PER_TEXT_MAX_COUNT,
} from '../../base/pairing-limits.ts';
import { CHANNELS } from '../../record/kinds.ts';
import { asArray, asObject, parseJson } from '../../stream/json-value.ts';
import type { PairBook } from './pair-book.ts';
import { keyOf, shareKey, TEXT_BASES, type TextBasis, textIdOf } from './pair-keys.ts';
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
  /** Texts that were asked for, by their keys, of which every sight is told. Absent in an older peer's answer. */
  readonly wholeTexts?: readonly string[];
  /** When this was answered, on the clock of the sights. Absent in an older peer's answer. */
  readonly answeredAtNs?: number;
}

const BASES = ['trace', 'request', 'response'] as const;
type IdBasis = (typeof BASES)[number];
const PROCESS = randomUUID();
/** Ids in one question: each exchange has one of each kind at most. */
const IDS_MAX_COUNT = PEER_BATCH_MAX_COUNT * BASES.length;
const TEXTS_MAX_COUNT = PEER_BATCH_MAX_COUNT * TEXT_BASES.length;

/** An exchange whose other sight is asked for. */
export interface PeerQuestion {
  readonly sight: Sight;
  /** Ids have not found it: those with its text are asked for too. */
  readonly byText: boolean;
}

export function peerQuery(questions: readonly PeerQuestion[]): string {
  const query = new URLSearchParams();
  for (const { sight, byText } of questions) {
    const { ids, lanes } = sight;
    if (ids.traceId !== undefined) query.append('trace', ids.traceId);
    if (ids.requestId !== undefined) query.append('request', ids.requestId);
    if (ids.responseId !== undefined) query.append('response', ids.responseId);
    for (const basis of byText ? TEXT_BASES : []) {
      const id = peerTextIdOf(basis, lanes);
      if (id !== undefined) query.append(basis, id);
    }
  }
  return query.toString();
}

/** Under which key a sight is asked for by its text: that of its longest lane. */
export function peerTextKeyOf(basis: TextBasis, lanes: Sight['lanes']): string | undefined {
  const id = peerTextIdOf(basis, lanes);
  return id === undefined ? undefined : keyOf(basis, id);
}

function peerTextIdOf(basis: TextBasis, lanes: Sight['lanes']): string | undefined {
  const [longest] = lanes.toSorted((a, b) => b.lengthChars - a.lengthChars);
  return longest === undefined ? undefined : textIdOf(basis, longest);
}

/**
 * Answers a peer's query (`trace=…&request=…&response=…&content=…&ending=…`, each as often as wanted) out of the book.
 * Of a text all sights are told or none: whoever asks must see whether there is but one.
 */
export function answerPeer(
  book: Pick<PairBook, 'look' | 'lookAll'>,
  query: string,
  answeredAtNs: number,
): Required<PeerAnswer> {
  const asked = new URLSearchParams(query);
  const keysOf = (basis: IdBasis | TextBasis): string[] =>
    asked.getAll(basis).map((id) => keyOf(basis, id.slice(0, PAIR_ID_MAX_CHARS)));
  const found = BASES.flatMap(keysOf)
    .slice(0, IDS_MAX_COUNT)
    .flatMap((key) => book.look([key]));
  const sights = new Map(found.map((sight) => [sight.id, sight]));
  const leftOutCount = Math.max(0, sights.size - PEER_SIGHTS_MAX_COUNT);
  const wholeTexts: string[] = [];
  for (const key of TEXT_BASES.flatMap(keysOf).slice(0, TEXTS_MAX_COUNT)) {
    const alike = book.lookAll([key], PEER_SIGHTS_PER_TEXT_MAX_COUNT);
    const newCount = alike?.filter(({ id }) => !sights.has(id)).length ?? 0;
    if (alike === undefined || sights.size + newCount > PEER_SIGHTS_MAX_COUNT) continue;
    wholeTexts.push(key);
    for (const sight of alike) sights.set(sight.id, sight);
  }
  return {
    schema: PEER_SCHEMA,
    process: PROCESS,
    sights: [...sights.values()].slice(0, PEER_SIGHTS_MAX_COUNT),
    leftOutCount,
    wholeTexts,
    answeredAtNs,
  };
}

/** Undefined for anything that no rubato of this schema answers. */
export function readPeerAnswer(text: string): PeerAnswer | undefined {
  const answer = asObject(parseJson(text));
  const sights = asArray(answer?.['sights']);
  const process = answer?.['process'];
  if (answer?.['schema'] !== PEER_SCHEMA || typeof process !== 'string' || sights === undefined) return undefined;
  const left = answer['leftOutCount'];
  const [texts, atNs] = [asArray(answer['wholeTexts']), answer['answeredAtNs']];
  return {
    schema: PEER_SCHEMA,
    process: process.slice(0, PAIR_ID_MAX_CHARS),
    sights: sights.slice(0, PEER_SIGHTS_MAX_COUNT).filter(isSight),
    leftOutCount: isCount(left) ? left : 0,
    ...(texts === undefined ? {} : { wholeTexts: texts.slice(0, TEXTS_MAX_COUNT).filter(isText) }),
    ...(isMoment(atNs) ? { answeredAtNs: atNs } : {}),
  };
}

/** Whether a sight of this answer could be that of this exchange. */
export function sharesKey(one: Sight, other: Sight): boolean {
  return [...BASES, ...TEXT_BASES].some((basis) => shareKey(basis, one, other));
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
    ['firstReceivedAtNs', 'lastReceivedAtNs'].every((name) => isMoment(lane[name])) &&
    (lane['places'] === undefined || arePlaces(lane['places'], lane['lengthChars']))
  );
}

/** They ascend to the end of the lane. */
function arePlaces(value: unknown, lengthChars: unknown): boolean {
  const places = asObject(value);
  const columns = ['chars', 'sums', 'windows'].map((name) => asArray(places?.[name]) ?? []);
  const [chars = [], sums = [], windows = []] = columns;
  return (
    columns.every((column) => column.every(isMoment)) &&
    chars.length === sums.length &&
    chars.length === windows.length &&
    chars.every((at, index) => (at as number) > ((chars[index - 1] as number | undefined) ?? 0)) &&
    chars.at(-1) === lengthChars
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
