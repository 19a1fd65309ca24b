// Takes the content coding off a copy of a body, piece by piece and synchronously, so that an event
// still belongs to the chunk that completed it. The only place that touches zlib's inner side.
//
// Node offers incremental decoding only as streams, which answer in a later turn, and synchronous
// decoding only of whole bodies, which would be quadratic here. Below both lies a handle with
// `writeSync`, which Node's own sync functions use (lib/zlib.js `processChunkSync`, the same in Node
// 22 and 24) and which npm's minizlib relies on. It is looked for before it is used; where it is
// missing the body counts as unreadable, never as empty.
import zlib from 'node:zlib';
import {
  DECODED_MAX_BYTES,
  DECODED_MAX_RATIO,
  DECODED_RATIO_FREE_BYTES,
  NAME_MAX_CHARS,
  ZSTD_WINDOW_MAX_LOG2,
} from '../base/limits.ts';
import { boundedText } from './json-value.ts';

/** Output of one native call; small, because it is held for as long as the exchange lasts. */
const OUTPUT_BYTES = 16 * 1024;
/** zlib's streams bring an output buffer that is never used here; this is the smallest they accept. */
const UNUSED_BUFFER_BYTES = 64;
const { Z_SYNC_FLUSH, BROTLI_OPERATION_PROCESS, ZSTD_e_continue: ZSTD_CONTINUE, ZSTD_d_windowLogMax } = zlib.constants;

export interface BodyDecoder {
  /**
   * Hands on what these bytes decode to, in pieces that are valid during the call only. Returns why
   * the body became unreadable; what was decoded before that has been handed on.
   */
  decode(bytes: Uint8Array, onDecoded: (piece: Uint8Array) => void): string | undefined;
  close(): void;
}

export type OpenedDecoder = { readonly decoder: BodyDecoder | undefined } | { readonly unreadable: string };

/** What Node's zlib streams carry inside. */
interface NativeHandle {
  /** Flush mode; input with offset and length; output with offset and length. */
  writeSync(...args: [number, Uint8Array, number, number, Uint8Array, number, number]): void;
}

interface NativeStream {
  /** Undefined where this Node keeps it elsewhere. */
  readonly handle: NativeHandle | undefined;
  /** Output and input bytes left over by the last write. */
  readonly state: Uint32Array;
  close(): void;
}

interface Coding {
  readonly flush: number;
  /** Makes the stream; the first byte tells the two kinds of `deflate` apart. */
  open(firstByte: number): { close(): void };
}

const gzip: Coding = { flush: Z_SYNC_FLUSH, open: () => zlib.createGunzip({ chunkSize: UNUSED_BUFFER_BYTES }) };

/** Adding a coding is one line. Names as in the IANA registry, with the alias RFC 9110 allows. */
const CODINGS = new Map<string, Coding>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { flush: Z_SYNC_FLUSH, open: openInflate }],
  [
    'br',
    { flush: BROTLI_OPERATION_PROCESS, open: () => zlib.createBrotliDecompress({ chunkSize: UNUSED_BUFFER_BYTES }) },
  ],
  ['zstd', { flush: ZSTD_CONTINUE, open: openZstd }],
]);

/** Chooses by the field Content-Encoding. No decoder and no reason means that the bytes are plain. */
export function openDecoder(encoding: string | undefined): OpenedDecoder {
  const codings = (encoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [name] = codings;
  if (name === undefined) return { decoder: undefined };
  // Several codings on one body are legal but unheard of in streams, and chains of decoders are the
  // classic way to blow up a reader.
  const coding = codings.length === 1 ? CODINGS.get(name) : undefined;
  if (coding === undefined) return { unreadable: boundedText(codings.join(', '), NAME_MAX_CHARS) };
  return { decoder: new NativeDecoder(name, coding) };
}

/** RFC 9110 means zlib's format by `deflate`, but raw deflate is sent as well; the first byte tells. */
function openInflate(firstByte: number): zlib.Inflate | zlib.InflateRaw {
  const options = { chunkSize: UNUSED_BUFFER_BYTES };
  return (firstByte & 0x0f) === 0x08 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
}

function openZstd(): zlib.ZstdDecompress {
  const params = { [ZSTD_d_windowLogMax]: ZSTD_WINDOW_MAX_LOG2 };
  return zlib.createZstdDecompress({ chunkSize: UNUSED_BUFFER_BYTES, params });
}

class NativeDecoder implements BodyDecoder {
  readonly #name: string;
  readonly #coding: Coding;
  readonly #output = new Uint8Array(OUTPUT_BYTES);
  #stream: NativeStream | undefined;
  #failed = false;
  #encodedBytes = 0;
  #decodedBytes = 0;

  constructor(name: string, coding: Coding) {
    this.#name = name;
    this.#coding = coding;
  }

  decode(bytes: Uint8Array, onDecoded: (piece: Uint8Array) => void): string | undefined {
    const [firstByte] = bytes;
    if (firstByte === undefined) return undefined;
    this.#stream ??= this.#open(firstByte);
    const { handle, state } = this.#stream;
    if (handle === undefined) return this.#name;
    let at = 0;
    for (;;) {
      const inputBytes = bytes.length - at;
      handle.writeSync(this.#coding.flush, bytes, at, inputBytes, this.#output, 0, OUTPUT_BYTES);
      if (this.#failed) return this.#name;
      const [outputLeftBytes = OUTPUT_BYTES, inputLeftBytes = 0] = state;
      const consumedBytes = inputBytes - inputLeftBytes;
      const producedBytes = OUTPUT_BYTES - outputLeftBytes;
      at += consumedBytes;
      this.#encodedBytes += consumedBytes;
      this.#decodedBytes += producedBytes;
      if (this.#isBomb()) return 'bomb';
      if (producedBytes > 0) onDecoded(this.#output.subarray(0, producedBytes));
      // Whoever takes the output may have closed us over it. A write to a closed handle would not
      // throw: Node ends the process.
      if (this.#stream === undefined) return undefined;
      // More may come while the output was full, or while input is left that is still being taken
      // (a further zstd frame). Input that nothing takes is garbage behind the end: ignored, as Node does.
      const again = outputLeftBytes === 0 || (inputLeftBytes > 0 && consumedBytes > 0);
      if (!again) return undefined;
    }
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  #open(firstByte: number): NativeStream {
    const stream = this.#coding.open(firstByte);
    const handle: unknown = Reflect.get(stream, '_handle');
    const state: unknown = Reflect.get(stream, '_writeState');
    const close = () => stream.close();
    if (!isNativeHandle(handle) || !(state instanceof Uint32Array)) {
      return { handle: undefined, state: new Uint32Array(2), close };
    }
    // The stream's own handler would destroy it and emit an error; ours only remembers. It is a
    // property that native code looks up, no event.
    Object.assign(handle, {
      onerror: () => {
        this.#failed = true;
      },
    });
    return { handle, state, close };
  }

  #isBomb(): boolean {
    if (this.#decodedBytes > DECODED_MAX_BYTES) return true;
    return this.#decodedBytes > DECODED_RATIO_FREE_BYTES && this.#decodedBytes > DECODED_MAX_RATIO * this.#encodedBytes;
  }
}

function isNativeHandle(value: unknown): value is NativeHandle {
  return typeof value === 'object' && value !== null && 'writeSync' in value && typeof value.writeSync === 'function';
}
