// The layout of the tape: one ring of bytes in shared memory between a relay thread (the only
// writer) and the main thread (the only reader). Entries are binary, 8-byte aligned, never split
// over the ring's end.
//
//   control (256 bytes)            data (a power of two)
//   ┌──────┬──────┬─────────┐      ┌───────┬─────────┬─────┬──────┐
//   │ head │ tail │ counters│      │ entry │ entry   │ pad │ …    │
//   └──────┴──────┴─────────┘      └───────┴─────────┴─────┴──────┘
//
// `head` and `tail` count bytes ever written and ever read, modulo 2^32; their difference is what
// waits. The writer publishes an entry by moving `head` after the entry is complete.

export const CONTROL_BYTES = 256;
export const ENTRY_ALIGN_BYTES = 8;
/** u32 entry bytes (header included) · u8 type, u8 flags, u16 small · u32 exchange · u32 aux */
export const ENTRY_HEADER_BYTES = 16;

/** Int32 slots of the control region. */
export const SLOT = {
  head: 0,
  tail: 1,
  /** Turns of the relay's heartbeat timer; main sees a dead relay by its standing still. */
  heartbeatCount: 2,
  /** Chunks whose bytes were left out (first step of overload). */
  droppedBytesCount: 3,
  /** Chunks and flushes left out altogether (second step). */
  droppedChunkCount: 4,
  /** Marks, heads, opens or ends lost because the ring was full (last step). */
  lostEntryCount: 5,
  /** Exchanges open in the relay now. */
  openCount: 6,
  /** Largest lateness of the relay's heartbeat since main last took it, in µs. */
  loopLagUs: 7,
  /** Requests refused by the strict gate or by the parser before an exchange existed. */
  refusedCount: 8,
  /** Connections to engines given up because bytes came on them that belong to no request. */
  surplusCount: 9,
  /** Client connections beyond the limit that were closed without having asked for anything. */
  overflowCount: 10,
} as const;

export const ENTRY = {
  pad: 0,
  open: 1,
  requestBytes: 2,
  mark: 3,
  connected: 4,
  head: 5,
  chunk: 6,
  flush: 7,
  end: 8,
  pause: 9,
} as const;

/** Kinds of `mark` entries, by their number on the tape. */
export const MARK_KINDS = [
  'connectStart',
  'uploadEnd',
  'requestSent',
  'headWritten',
  'upstreamEnd',
  'blockedFrom',
  'blockedTo',
  'informational',
  'retried',
  'admitted',
] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/**
 * Why a relay's thread did not run, by the number in a `pause` entry: a garbage collection, the CPU taken away
 * (stopped, throttled, or others ran), a clock that stepped.
 */
export const PAUSE_CAUSES = ['gc', 'cpu', 'clock'] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** Flags of an `open` entry. */
export const OPEN_FLAG = { upgrade: 1, traced: 2, sampled: 4, parented: 8, http2: 16 } as const;
/** Flags of a `chunk` entry. */
export const CHUNK_FLAG = { bytesOmitted: 1, bytesWanted: 2 } as const;
/** Flags of a `connected` entry. */
export const CONNECTED_FLAG = { reused: 1, dns: 2, tcp: 4, tls: 8, floor: 16 } as const;
/** Flags of an `end` entry. */
export const END_FLAG = { answeredByUs: 1 } as const;

export interface Tape {
  readonly shared: SharedArrayBuffer;
  readonly control: Int32Array;
  readonly u8: Uint8Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly dataBytes: number;
}

/** Views over an existing ring. */
export function openTape(shared: SharedArrayBuffer): Tape {
  const dataBytes = shared.byteLength - CONTROL_BYTES;
  return {
    shared,
    control: new Int32Array(shared, 0, CONTROL_BYTES / 4),
    u8: new Uint8Array(shared, CONTROL_BYTES, dataBytes),
    u32: new Uint32Array(shared, CONTROL_BYTES, dataBytes / 4),
    f64: new Float64Array(shared, CONTROL_BYTES, dataBytes / 8),
    dataBytes,
  };
}

/** A new, empty ring; `dataBytes` must be a power of two of at least 4 KiB. */
export function createTape(dataBytes: number): Tape {
  if (dataBytes < 4096 || (dataBytes & (dataBytes - 1)) !== 0) {
    throw new Error(`tape size must be a power of two of at least 4096, got ${dataBytes}`);
  }
  const tape = openTape(new SharedArrayBuffer(CONTROL_BYTES + dataBytes));
  // Touched now, so that no page is faulted in while a stream runs and memory does not seem to grow.
  tape.u8.fill(0);
  return tape;
}

/** Empty again, for another writer; the one before must be gone, and have been read to its end. */
export function emptyTape({ control }: Tape): void {
  control.fill(0);
}

/** Rounded up to the entry alignment. */
export function aligned(byteCount: number): number {
  return (byteCount + (ENTRY_ALIGN_BYTES - 1)) & ~(ENTRY_ALIGN_BYTES - 1);
}
