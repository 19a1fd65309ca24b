// How the generated text of one record arrived: its reads gathered into bursts, each with the silence before
// it. Bytes that one flush sent may come in several reads a fraction of a millisecond apart, so reads are
// joined first. Says also which bursts cannot be anybody else's doing than ours or the client's. No opinion.
import { valueAt } from '../../measure/columns.ts';
import { channelBit, CHUNK_INSIDE_EVENT } from '../../record/kinds.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

/** Reads closer than this are of one flush: a flush of 64 KiB comes off a 1 Gbit/s link in half of that. */
const JOIN_NS = 1_200_000;
/** What takes longer than this is a burst only if it is far denser than any engine writes. */
const BURST_NS = 3_000_000;
/** Ten thousand events a second for one reader: the fastest engines known are below three thousand tokens. */
const EVENT_LEAST_NS = 100_000;
/** A read this late, in parts of the silence before it, may have gathered what came one by one. */
const LATE_PARTS = 5;
const LATE_LEAST_NS = 1_000_000;

export interface Burst {
  /** First stamp of its first read, and of its last. */
  readonly atNs: number;
  readonly endAtNs: number;
  /** Last read of the burst before (of the first one: the request was sent) → first read of this one. */
  readonly silenceNs: number;
  /** Body bytes since the burst before, its own included. */
  readonly bytes: number;
  /** Events with generated fragments, and those of them that carry more than parts of a tool call. */
  readonly eventCount: number;
  readonly textCount: number;
  /** Its last byte is in the middle of an event. */
  readonly endsInside: boolean;
  /** The client took no bytes, or our own thread was late: the burst says nothing about the engine's side. */
  readonly ours: boolean;
}

export interface Arrivals {
  readonly bursts: readonly Burst[];
  readonly readCount: number;
  /** Of all bursts. */
  readonly eventCount: number;
  readonly textCount: number;
  /** Body bytes of an event on average, everything between events included. */
  readonly eventBytes: number;
  /** Choices that are decoded side by side: each step writes one event for every one of them. */
  readonly choiceCount: number;
  /** A content coding lies over the body: sizes are those of coded bytes. */
  readonly coded: boolean;
}

interface Read {
  readonly atNs: number;
  readonly boundNs: number;
  readonly bytes: number;
  readonly eventCount: number;
  readonly textCount: number;
  readonly endsInside: boolean;
}

export function arrivalsOf(record: StreamRecord): Arrivals {
  const { answer, request, response, marks } = record;
  const reads = generatedReads(record);
  const startAtNs = marks.requestSentAtNs ?? marks.uploadEndAtNs ?? 0;
  const bursts: Burst[] = [];
  const ownTime = ownTimeOf(record);
  for (const group of joined(reads)) bursts.push(burstOf(group, bursts.at(-1)?.endAtNs ?? startAtNs, ownTime));
  const sum = (pick: (burst: Burst) => number): number => bursts.reduce((total, burst) => total + pick(burst), 0);
  const eventCount = sum((burst) => burst.eventCount);
  return {
    bursts,
    readCount: reads.length,
    eventCount,
    textCount: sum((burst) => burst.textCount),
    eventBytes: eventCount === 0 ? 0 : sum((burst) => burst.bytes) / eventCount,
    choiceCount: Math.max(1, answer.choiceCount, request.choices ?? 1),
    coded: response.encoding !== undefined && response.encoding !== 'identity',
  };
}

/** The reads that completed events with generated fragments, each with all bytes since the one before it. */
function generatedReads({ chunks, events }: StreamRecord): Read[] {
  const { eventCounts, textCounts } = countsByChunk(events, chunks.bytes.length);
  const reads: Read[] = [];
  let bytes = 0;
  let boundNs = 0;
  for (let row = 0; row < chunks.receivedAtNs.length;) {
    const atNs = valueAt(chunks.receivedAtNs, row);
    let eventCount = 0;
    let textCount = 0;
    for (; row < chunks.receivedAtNs.length && chunks.receivedAtNs[row] === atNs; row += 1) {
      bytes += valueAt(chunks.bytes, row);
      boundNs = Math.max(boundNs, valueAt(chunks.errorBoundNs, row));
      eventCount += valueAt(eventCounts, row);
      textCount += valueAt(textCounts, row);
    }
    if (eventCount === 0) continue;
    const endsInside = (valueAt(chunks.flags, row - 1) & CHUNK_INSIDE_EVENT) !== 0;
    reads.push({ atNs, boundNs, bytes, eventCount, textCount, endsInside });
    bytes = 0;
    boundNs = 0;
  }
  return reads;
}

/** For each chunk, the events with generated fragments that it completed, and those with more than tool calls. */
function countsByChunk(events: StreamRecord['events'], chunkCount: number) {
  const toolBit = channelBit('tool');
  const eventCounts = Array.from<number>({ length: chunkCount }).fill(0);
  const textCounts = [...eventCounts];
  for (const [index, row] of events.chunk.entries()) {
    const channels = valueAt(events.generated, index);
    if (channels !== 0) eventCounts[row] = valueAt(eventCounts, row) + 1;
    if ((channels & ~toolBit) !== 0) textCounts[row] = valueAt(textCounts, row) + 1;
  }
  return { eventCounts, textCounts };
}

/** Joins neighbours, but leaves apart what only came fast: an engine of a thousand tokens a second is no burst. */
function joined(reads: readonly Read[]): Read[][] {
  const groups: Read[][] = [];
  for (const read of reads) {
    const last = groups.at(-1);
    if (last !== undefined && read.atNs - (last.at(-1) as Read).atNs <= JOIN_NS) last.push(read);
    else groups.push([read]);
  }
  return groups.flatMap((group) => (isDense(group) ? [group] : group.map((read) => [read])));
}

function isDense(group: readonly Read[]): boolean {
  const lengthNs = (group.at(-1) as Read).atNs - (group[0] as Read).atNs;
  const eventCount = group.reduce((count, read) => count + read.eventCount, 0);
  return lengthNs <= BURST_NS || lengthNs <= eventCount * EVENT_LEAST_NS;
}

function burstOf(group: readonly Read[], beforeAtNs: number, ownTime: OwnTime): Burst {
  const [first, last] = [group[0] as Read, group.at(-1) as Read];
  const sums = { bytes: 0, eventCount: 0, textCount: 0 };
  let boundNs = 0;
  for (const read of group) {
    sums.bytes += read.bytes;
    sums.eventCount += read.eventCount;
    sums.textCount += read.textCount;
    boundNs = Math.max(boundNs, read.boundNs);
  }
  const silenceNs = Math.max(0, first.atNs - beforeAtNs);
  const lateNs = Math.max(LATE_LEAST_NS, silenceNs / LATE_PARTS);
  const { pausedNs, blocked } = ownTime(beforeAtNs, last.atNs);
  // A single event that we read late is still a single event.
  const isLate = sums.eventCount > 1 && (boundNs > lateNs || pausedNs > lateNs);
  return {
    atNs: first.atNs,
    endAtNs: last.atNs,
    silenceNs,
    ...sums,
    endsInside: last.endsInside,
    ours: isLate || blocked,
  };
}

/** How long our thread did not run between two moments, and whether the client took nothing for a part of it. */
type OwnTime = (fromNs: number, toNs: number) => { readonly pausedNs: number; readonly blocked: boolean };

/** For moments that ascend from call to call: what is over is not looked at again. */
function ownTimeOf({ pauses, blockedNs, marks }: StreamRecord): OwnTime {
  let pause = 0;
  let block = 0;
  const blockEndNs = (at: number): number => blockedNs[at + 1] ?? marks.clientEndAtNs ?? Infinity;
  return (fromNs, toNs) => {
    while (pause < pauses.length && (pauses[pause]?.endAtNs ?? 0) <= fromNs) pause += 1;
    while (block < blockedNs.length && blockEndNs(block) <= fromNs) block += 2;
    let pausedNs = 0;
    for (let at = pause; at < pauses.length; at += 1) {
      const { startAtNs, endAtNs } = pauses[at] as StreamRecord['pauses'][number];
      if (startAtNs >= toNs) break;
      pausedNs += Math.max(0, Math.min(endAtNs, toNs) - Math.max(startAtNs, fromNs));
    }
    return { pausedNs, blocked: (blockedNs[block] ?? Infinity) < toNs };
  };
}
