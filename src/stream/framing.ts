// The contract between bytes and meaning: a framing cuts a body into messages and hands each over as
// soon as its last byte is in. Framings know nothing of dialects, and dialects nothing of bytes.
import type { Doubt } from '../record/kinds.ts';

/** Who takes what a framing finds. Called only from within {@link Framing} methods. */
export interface FramingSink {
  /** One complete message; `eventName` is the SSE field `event` when there was one. */
  onMessage(text: string, eventName: string | undefined): void;
  /** A comment: proof that the path is alive, never a token. */
  onComment(): void;
  /** A message was skipped because it was larger than the cap. */
  onOverflow(): void;
  onDoubt(doubt: Doubt): void;
  /** The rest of the body cannot be read, for this reason. The framing is not called any more. */
  onUnreadable(reason: string): void;
}

/**
 * Reads one body. All calls are synchronous, so that a message belongs to the chunk that completed
 * it. The bytes are only looked at during the call: whoever feeds may use the memory again.
 */
export interface Framing {
  feed(bytes: Uint8Array): void;
  /** Bytes are missing before the next feed: go on at the next border that is certain. */
  skip(): void;
  /** Bytes of a message were fed that is not complete yet; absent where borders are not known so exactly. */
  readonly insideMessage?: boolean;
  /**
   * Nothing is held of what was fed, and what comes next is read as if nothing had come before. Absent where an event
   * is never known by its bytes alone.
   */
  readonly atBorder?: boolean;
  /** No more bytes will come, for whatever reason. What is left over is read as it is. */
  end(): void;
}

/** One row of the table in framings.ts. */
export interface FramingKind {
  readonly name: string;
  /** Bodies of this framing are streams of events; others are one answer. */
  readonly streamed: boolean;
  /** Decides by the media type of the answer, lower case and without parameters, and where it says too little by the path. */
  reads(mediaType: string, path: string): boolean;
  open(sink: FramingSink): Framing;
}
