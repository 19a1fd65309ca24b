// What the receiver counts. Plain numbers that only grow; every cap has its reason here.
import type { Signal } from './signals.ts';

export const DROP_REASONS = [
  /** A request larger than allowed, packed or unpacked. */
  'oversize',
  /** No OTLP. */
  'malformed',
  /** A content type or coding that we do not take, or JSON for a collector that speaks gRPC. */
  'unsupported',
  /** Too much was in work already; the sender was told to come again. */
  'busy',
  /** The queue to the collector was full. */
  'queue',
  /** The collector refused it or could not be reached. */
  'collector',
  /** Connections beyond the cap. */
  'connection',
  /** Not read for spans, or not to the end, because of its size; passed on all the same. */
  'unread',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export interface OtlpCounts {
  /** Requests accepted, and requests that the collector has taken. */
  readonly received: Record<Signal, number>;
  readonly forwarded: Record<Signal, number>;
  readonly dropped: Record<DropReason, number>;
}

export function noCounts(): OtlpCounts {
  return {
    received: { traces: 0, metrics: 0, logs: 0 },
    forwarded: { traces: 0, metrics: 0, logs: 0 },
    dropped: {
      oversize: 0,
      malformed: 0,
      unsupported: 0,
      busy: 0,
      queue: 0,
      collector: 0,
      connection: 0,
      unread: 0,
    },
  };
}
