// What happens to a payload, whichever way it came: unpacked where somebody has to look inside, read for
// spans, queued for the collector. The answer to the sender does not wait for the collector, as with any
// collector. Knows no transport.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { nowNs } from '../../base/clock.ts';
import { OTLP_DECODED_MAX_BYTES, OTLP_IN_WORK_MAX_BYTES } from '../../base/otlp-limits.ts';
import type { EngineSpan } from '../../evidence/engine-span.ts';
import type { DropReason, OtlpCounts } from './counts.ts';
import { MalformedError } from './field-cursor.ts';
import type { Forwarder } from './forwarder.ts';
import { readSpans } from './read-spans.ts';
import { JSON_TYPE, type CollectorTargets, type Payload } from './signals.ts';

const unpack = promisify(gunzip);

export type Verdict =
  | { readonly accepted: true; readonly partial?: { readonly rejectedCount: number; readonly message: string } }
  | { readonly accepted: false; readonly reason: DropReason; readonly message: string };

export interface IntakeOptions {
  readonly onSpan: (span: EngineSpan, atNs: number) => void;
  readonly forwarder: Forwarder;
  readonly targets: CollectorTargets;
  readonly counts: OtlpCounts;
}

const NO_JSON = 'The collector behind rubato is spoken to by gRPC, which takes no JSON; send protobuf, or gRPC.';

export class Intake {
  readonly #options: IntakeOptions;
  #inWorkBytes = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Room for bytes that are about to be held; false when there is none. Whoever got it gives it back. */
  reserve(bytes: number): boolean {
    if (this.#inWorkBytes + bytes > OTLP_IN_WORK_MAX_BYTES) return false;
    this.#inWorkBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#inWorkBytes -= bytes;
  }

  /** Counts and words a refusal. */
  refuse(reason: DropReason, message: string): Verdict {
    this.#options.counts.dropped[reason] += 1;
    return { accepted: false, reason, message };
  }

  /** Never rejects. */
  async accept(payload: Payload): Promise<Verdict> {
    const { targets, counts, forwarder } = this.#options;
    const target = targets[payload.signal];
    const forGrpc = target?.protocol === 'grpc';
    const cannotPass = forGrpc && payload.type === JSON_TYPE;
    if (cannotPass && payload.signal !== 'traces') return this.refuse('unsupported', NO_JSON);
    try {
      const look = payload.signal === 'traces' || forGrpc;
      const { plain, spanCount } = look
        ? await this.#inTurn(() => this.#look(payload))
        : { plain: payload, spanCount: 0 };
      counts.received[payload.signal] += 1;
      if (cannotPass) {
        counts.dropped.unsupported += 1;
        return { accepted: true, partial: { rejectedCount: spanCount, message: NO_JSON } };
      }
      // Over HTTP it goes on packed as it came; gRPC has a packing of its own.
      if (target !== undefined) forwarder.add(forGrpc ? plain : payload);
      return { accepted: true };
    } catch (fault) {
      return fault instanceof TooLargeError
        ? this.refuse('oversize', fault.message)
        : this.refuse('malformed', fault instanceof MalformedError ? fault.message : 'The body cannot be unpacked.');
    }
  }

  /** One after the other: so there is never more than one body unpacked, or read from, at a time. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #look(payload: Payload): Promise<Looked> {
    const { onSpan, counts } = this.#options;
    const plain = await plainOf(payload);
    if (payload.signal !== 'traces') return { plain, spanCount: 0 };
    const atNs = nowNs();
    const { spanCount, cut } = await readSpans(plain.type, plain.bytes, (span) => onSpan(span, atNs));
    if (cut) counts.dropped.unread += 1;
    return { plain, spanCount };
  }
}

interface Looked {
  /** Without its content coding. */
  readonly plain: Payload;
  readonly spanCount: number;
}

class TooLargeError extends Error {}

/** The payload without its content coding. */
async function plainOf(payload: Payload): Promise<Payload> {
  if (payload.encoding === undefined) return payload;
  try {
    const bytes = await unpack(payload.bytes, { maxOutputLength: OTLP_DECODED_MAX_BYTES });
    return { ...payload, encoding: undefined, bytes };
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw fault;
    throw new TooLargeError(`Unpacked it is larger than ${OTLP_DECODED_MAX_BYTES} bytes.`);
  }
}
