// Ways for an engine's writes to become reads: networks, front ends and readers that disturb a stream without
// holding it, and hops that do hold it. Each takes writes and gives reads; moments in ms.
import { createGzip, constants } from 'node:zlib';
import { integerBetween, type Random } from '../../../src/client/random.ts';
import type { Write } from './rhythms.ts';

export interface Arrival {
  readonly atMs: number;
  readonly bytes: Buffer;
  readonly errorBoundMs?: number;
}

export interface Delivered {
  readonly arrivals: readonly Arrival[];
  readonly encoding?: string;
  readonly lengthBytes?: number;
  /** The head came with the first byte of the body. */
  readonly headWithBody?: true;
  /** Else: when it came; at once unless said. */
  readonly headAtMs?: number;
  /** From, to, from, to … in ms: the client took nothing. */
  readonly blockedMs?: readonly number[];
}

export interface Way {
  readonly name: string;
  /** Of a hop that holds; undefined for what does not. */
  readonly way?: string;
  readonly deliver: (writes: readonly Write[], random: Random) => Delivered | Promise<Delivered>;
}

const plain = (writes: readonly Write[]): Arrival[] =>
  writes.map(({ atMs, text }) => ({ atMs, bytes: Buffer.from(text) }));

/** What is sent at one moment comes in one read, or in several a fraction of a millisecond apart. */
function merged(arrivals: readonly Arrival[], withinMs = 0.15): Arrival[] {
  const reads: { atMs: number; parts: Buffer[]; errorBoundMs: number }[] = [];
  for (const { atMs, bytes, errorBoundMs = 0 } of arrivals.toSorted((a, b) => a.atMs - b.atMs)) {
    const last = reads.at(-1);
    if (last !== undefined && atMs - last.atMs <= withinMs) {
      last.parts.push(bytes);
      last.errorBoundMs = Math.max(last.errorBoundMs, errorBoundMs);
    } else reads.push({ atMs, parts: [bytes], errorBoundMs });
  }
  return reads.map(({ atMs, parts, errorBoundMs }) => ({ atMs, bytes: Buffer.concat(parts), errorBoundMs }));
}

/** Lateness of packets that never overtake each other. */
function jittered(arrivals: readonly Arrival[], random: Random, meanMs: number): Arrival[] {
  let beforeMs = 0;
  return arrivals.map((arrival) => {
    beforeMs = Math.max(beforeMs, arrival.atMs - Math.log(1 - random()) * meanMs);
    return { ...arrival, atMs: beforeMs };
  });
}

/** During each pause nothing comes out; at its end everything does. */
function paused(
  arrivals: readonly Arrival[],
  pauses: readonly (readonly [number, number])[],
  late: boolean,
): Arrival[] {
  return arrivals.map((arrival) => {
    const pause = pauses.find(([from, to]) => arrival.atMs >= from && arrival.atMs < to);
    if (pause === undefined) return arrival;
    return { ...arrival, atMs: pause[1], ...(late ? { errorBoundMs: pause[1] - pause[0] } : {}) };
  });
}

function somePauses(writes: readonly Write[], random: Random, count: number, longestMs: number): [number, number][] {
  const [first, last] = [writes[0]?.atMs ?? 0, writes.at(-1)?.atMs ?? 0];
  return Array.from({ length: count }, () => {
    const from = first + random() * (last - first);
    return [from, from + longestMs * (0.2 + 0.8 * random())] as [number, number];
  });
}

export const INNOCENT_WAYS: readonly Way[] = [
  { name: 'loopback', deliver: (writes) => ({ arrivals: merged(plain(writes)) }) },
  {
    name: 'network with jitter',
    deliver: (writes, random) => ({ arrivals: merged(jittered(plain(writes), random, 0.2 + random() * 4)) }),
  },
  {
    name: 'lost packets',
    deliver: (writes, random) => {
      const pauses = somePauses(writes, random, integerBetween(random, 1, 3), 400);
      return { arrivals: merged(jittered(paused(plain(writes), pauses, false), random, 0.5)) };
    },
  },
  {
    name: 'front end of the engine stalls now and then',
    deliver: (writes, random) => {
      const pauses = somePauses(writes, random, integerBetween(random, 1, 4), 600);
      return { arrivals: merged(paused(plain(writes), pauses, false)) };
    },
  },
  {
    name: 'overloaded front end',
    deliver: (writes, random) => {
      const longestMs = 5 + random() * (random() < 0.2 ? 200 : 60);
      let atMs = 0;
      const pauses: [number, number][] = [];
      const endMs = writes.at(-1)?.atMs ?? 0;
      while (atMs < endMs) {
        const toMs = atMs + random() * longestMs;
        pauses.push([atMs, toMs]);
        atMs = toMs;
      }
      return { arrivals: merged(paused(plain(writes), pauses, false)) };
    },
  },
  {
    name: 'own thread late',
    deliver: (writes, random) => {
      const pauses = somePauses(writes, random, integerBetween(random, 1, 30), 500);
      return { arrivals: merged(paused(plain(writes), pauses, true)) };
    },
  },
  {
    name: 'slow client',
    deliver: (writes, random) => {
      const pauses = somePauses(writes, random, integerBetween(random, 1, 10), 1500).toSorted((a, b) => a[0] - b[0]);
      return { arrivals: merged(paused(plain(writes), pauses, false)), blockedMs: pauses.flat() };
    },
  },
  {
    name: 'sender that waits for acknowledgements',
    deliver: (writes) => {
      let openAtMs = 0;
      return {
        arrivals: merged(
          plain(writes).map((arrival) => {
            if (arrival.atMs >= openAtMs) openAtMs = arrival.atMs + 40;
            else return { ...arrival, atMs: openAtMs };
            return arrival;
          }),
        ),
      };
    },
  },
  {
    name: 'slow link',
    deliver: (writes, random) => ({ arrivals: merged(onSlowLink(writes, 8 + random() * random() * 300)) }),
  },
  {
    name: 'gzip, flushed',
    deliver: async (writes) => ({ arrivals: merged(await gzipped(writes, true)), encoding: 'gzip' }),
  },
];

/** Segments one behind the other at the pace of the link: what waits is sent as full segments. */
function onSlowLink(writes: readonly Write[], bytesPerMs: number): Arrival[] {
  const arrivals: Arrival[] = [];
  let queued: Buffer = Buffer.alloc(0);
  let freeAtMs = 0;
  const sendUntil = (untilMs: number): void => {
    while (queued.length > 0 && freeAtMs <= untilMs) {
      const segment = queued.subarray(0, 1448);
      queued = queued.subarray(segment.length);
      freeAtMs += segment.length / bytesPerMs;
      arrivals.push({ atMs: freeAtMs, bytes: segment });
    }
  };
  for (const { atMs, text } of writes) {
    sendUntil(atMs);
    freeAtMs = Math.max(freeAtMs, atMs);
    queued = Buffer.concat([queued, Buffer.from(text)]);
  }
  sendUntil(Infinity);
  return arrivals;
}

/** What a real deflate of these bytes gives out, write by write. */
async function gzipped(writes: readonly Write[], flushed: boolean): Promise<Arrival[]> {
  const gzip = createGzip();
  const arrivals: Arrival[] = [];
  let atMs = 0;
  gzip.on('data', (bytes: Buffer) => arrivals.push({ atMs, bytes }));
  for (const write of writes) {
    ({ atMs } = write);
    await new Promise<void>(
      (resolve, reject) => void gzip.write(write.text, (fault) => (fault ? reject(fault) : resolve())),
    );
    if (flushed) await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  }
  await new Promise<void>((resolve) => {
    gzip.on('end', resolve);
    gzip.end();
  });
  return arrivals;
}

/** Full buffers leave; the rest with the end. The framing of chunks on the way in may count, and the head too. */
export function bySize(writes: readonly Write[], blockBytes: number, framed: boolean, headBytes: number): Arrival[] {
  const arrivals: Arrival[] = [];
  let held: Buffer = Buffer.alloc(0);
  let framing = headBytes;
  const endMs = writes.at(-1)?.atMs ?? 0;
  for (const { atMs, text } of writes) {
    if (framed) framing += Buffer.byteLength(text).toString(16).length + 4;
    held = Buffer.concat([held, Buffer.from(text)]);
    while (held.length + framing >= blockBytes) {
      arrivals.push({ atMs, bytes: held.subarray(0, blockBytes - framing) });
      held = held.subarray(blockBytes - framing);
      framing = 0;
    }
  }
  arrivals.push({ atMs: endMs, bytes: held });
  return arrivals;
}

/** A timer that runs for ever, or one that starts with the first byte that waits. */
export function byTimer(writes: readonly Write[], intervalMs: number, armed: boolean): Arrival[] {
  let dueMs = 0;
  const endMs = writes.at(-1)?.atMs ?? 0;
  return plain(writes).map((arrival) => {
    if (arrival.atMs > dueMs)
      dueMs = armed ? arrival.atMs + intervalMs : Math.ceil(arrival.atMs / intervalMs) * intervalMs;
    return { ...arrival, atMs: Math.min(dueMs, endMs) };
  });
}

function byCount(writes: readonly Write[], count: number): Arrival[] {
  const arrivals = plain(writes);
  return arrivals.map((arrival, index) => {
    const last = Math.min(arrivals.length - 1, Math.floor(index / count) * count + count - 1);
    return { ...arrival, atMs: (arrivals[last] as Arrival).atMs };
  });
}

/** As a link brings it: large flushes in several reads. */
function onLink(arrivals: readonly Arrival[], random: Random): Arrival[] {
  const pieceBytes = random() < 0.5 ? 65_536 : 14_480;
  const reads = merged(arrivals.map((arrival) => ({ ...arrival, atMs: arrival.atMs + random() * 0.1 })));
  return reads.flatMap(({ atMs, bytes }) =>
    Array.from({ length: Math.ceil(bytes.length / pieceBytes) || 1 }, (_, index) => ({
      atMs: atMs + index * 0.2,
      bytes: bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
    })),
  );
}

const BLOCKS = [4096, 8192, 16_384, 32_768];
const TIMERS_MS = [100, 200, 500, 1000, 2000];

export const HOLDING_WAYS: readonly Way[] = [
  ...BLOCKS.map((blockBytes): Way => ({
    name: `buffers of ${blockBytes} bytes`,
    way: 'size',
    deliver: (writes, random) => {
      const framed = random() < 0.5;
      return {
        arrivals: onLink(bySize(writes, blockBytes, framed, framed ? integerBetween(random, 100, 400) : 0), random),
      };
    },
  })),
  ...TIMERS_MS.map((intervalMs): Way => ({
    name: `a flush every ${intervalMs} ms`,
    way: 'timer',
    deliver: (writes, random) => ({ arrivals: onLink(byTimer(writes, intervalMs, random() < 0.5), random) }),
  })),
  {
    name: 'gzip, never flushed',
    way: 'compression',
    deliver: async (writes, random) => ({ arrivals: onLink(await gzipped(writes, false), random), encoding: 'gzip' }),
  },
  { name: 'collected, with a length', way: 'until_end', deliver: (writes, random) => collected(writes, random, true) },
  { name: 'collected', way: 'until_end', deliver: (writes, random) => collected(writes, random, false) },
  {
    name: 'a number of events',
    way: 'rechunk',
    deliver: (writes, random) => ({ arrivals: onLink(byCount(writes, integerBetween(random, 25, 50)), random) }),
  },
];

function collected(writes: readonly Write[], random: Random, stated: boolean): Delivered {
  const bytes = Buffer.concat(writes.map(({ text }) => Buffer.from(text)));
  const atMs = (writes.at(-1)?.atMs ?? 0) + 0.2;
  return {
    arrivals: onLink([{ atMs, bytes }], random),
    ...(stated ? { lengthBytes: bytes.length } : {}),
    ...(stated || random() < 0.5 ? { headWithBody: true } : {}),
  };
}
