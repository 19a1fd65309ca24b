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
  const bursts = burstsOf(reads, marks.requestSentAtNs ?? marks.uploadEndAtNs ?? 0, ownTimeOf(record));
  const sums = { eventCount: 0, textCount: 0, bytes: 0 };
  for (const burst of bursts) {
    sums.eventCount += burst.eventCount;
    sums.textCount += burst.textCount;
    sums.bytes += burst.bytes;
  }
  return {
    bursts,
    readCount: reads.length,
    eventCount: sums.eventCount,
    textCount: sums.textCount,
    eventBytes: sums.eventCount === 0 ? 0 : sums.bytes / sums.eventCount,
    choiceCount: Math.max(1, answer.choiceCount, request.choices ?? 1),
    coded: response.encoding !== undefined && response.encoding !== 'identity',
  };
}

const TOOL_BIT = channelBit('tool');

/** The reads that completed events with generated fragments, each with all bytes since the one before it. */
function generatedReads({ chunks, events }: StreamRecord): Read[] {
  const chunkCount = chunks.receivedAtNs.length;
  const reads: Read[] = [];
  let bytes = 0;
  let boundNs = 0;
  // Events are in the order of the chunks that completed them, so both columns are walked through once.
  let event = 0;
  for (let row = 0; row < chunkCount;) {
    const atNs = valueAt(chunks.receivedAtNs, row);
    let eventCount = 0;
    let textCount = 0;
    for (; row < chunkCount && chunks.receivedAtNs[row] === atNs; row += 1) {
      bytes += valueAt(chunks.bytes, row);
      boundNs = Math.max(boundNs, valueAt(chunks.errorBoundNs, row));
      for (; event < events.chunk.length && valueAt(events.chunk, event) <= row; event += 1) {
        const channels = valueAt(events.generated, event);
        eventCount += channels === 0 ? 0 : 1;
        textCount += (channels & ~TOOL_BIT) === 0 ? 0 : 1;
      }
    }
    if (eventCount === 0) continue;
    const endsInside = (valueAt(chunks.flags, row - 1) & CHUNK_INSIDE_EVENT) !== 0;
    reads.push({ atNs, boundNs, bytes, eventCount, textCount, endsInside });
    bytes = 0;
    boundNs = 0;
  }
  return reads;
}

/** Joins neighbours, but leaves apart what only came fast: an engine of a thousand tokens a second is no burst. */
function burstsOf(reads: readonly Read[], startAtNs: number, ownTime: OwnTime): Burst[] {
  const bursts: Burst[] = [];
  let beforeAtNs = startAtNs;
  for (let from = 0; from < reads.length;) {
    const end = neighboursEnd(reads, from);
    // What is not dense is a burst each.
    const stepCount = isDense(reads, from, end) ? end - from : 1;
    for (; from < end; from += stepCount) {
      const burst = burstOf(reads, { from, end: from + stepCount }, beforeAtNs, ownTime);
      bursts.push(burst);
      beforeAtNs = burst.endAtNs;
    }
  }
  return bursts;
}

/** Behind the last of the reads that follow this one closely. */
function neighboursEnd(reads: readonly Read[], from: number): number {
  let end = from + 1;
  while (end < reads.length && valueAt(reads, end).atNs - valueAt(reads, end - 1).atNs <= JOIN_NS) end += 1;
  return end;
}

function isDense(reads: readonly Read[], from: number, end: number): boolean {
  const lengthNs = valueAt(reads, end - 1).atNs - valueAt(reads, from).atNs;
  if (lengthNs <= BURST_NS) return true;
  let eventCount = 0;
  for (let at = from; at < end; at += 1) eventCount += valueAt(reads, at).eventCount;
  return lengthNs <= eventCount * EVENT_LEAST_NS;
}

interface Span {
  readonly from: number;
  readonly end: number;
}

function burstOf(reads: readonly Read[], { from, end }: Span, beforeAtNs: number, ownTime: OwnTime): Burst {
  const first = valueAt(reads, from);
  const last = valueAt(reads, end - 1);
  let bytes = 0;
  let eventCount = 0;
  let textCount = 0;
  let boundNs = 0;
  for (let at = from; at < end; at += 1) {
    const read = valueAt(reads, at);
    bytes += read.bytes;
    eventCount += read.eventCount;
    textCount += read.textCount;
    boundNs = Math.max(boundNs, read.boundNs);
  }
  const silenceNs = Math.max(0, first.atNs - beforeAtNs);
  const lateNs = Math.max(LATE_LEAST_NS, silenceNs / LATE_PARTS);
  const { pausedNs, blocked } = ownTime(beforeAtNs, last.atNs);
  // A single event that we read late is still a single event.
  const isLate = eventCount > 1 && (boundNs > lateNs || pausedNs > lateNs);
  return {
    atNs: first.atNs,
    endAtNs: last.atNs,
    silenceNs,
    bytes,
    eventCount,
    textCount,
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
