// The OTLP receiver as a whole: a port of its own, the spans that came to it, the source of evidence made
// of them, and the way on to the collector. Takes from anybody who can reach its port, which is why it is
// off unless asked for and binds exactly what it was given.
import { nowMs } from '../../base/clock.ts';
import type { LateSource } from '../late-evidence.ts';
import { noCounts, type OtlpCounts } from './counts.ts';
import { Forwarder, type Sender } from './forwarder.ts';
import { createGrpcIntake } from './grpc-intake.ts';
import { createGrpcSender } from './grpc-sender.ts';
import { createHttpIntake } from './http-intake.ts';
import { createHttpSender } from './http-sender.ts';
import { Intake } from './intake.ts';
import { listen, type Listener } from './listener.ts';
import type { CollectorTarget, CollectorTargets } from './signals.ts';
import { SpanSource, type JoinCounts } from './span-source.ts';
import { SpanStore } from './span-store.ts';

export interface OtlpReceiverOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Where each signal goes on to; undefined keeps it here, for the join only. */
  readonly targets: CollectorTargets;
  /** Told of each payload lost to the collector, and of each that it took. */
  readonly onForwardFailed: (fault: string, atMs: number) => void;
  readonly onForwarded: () => void;
  /** How long the report of an ended exchange waits for its spans. */
  readonly evidenceWaitMs: number;
  /** Told of each exchange whose span came after that, and by how much after its end. */
  readonly onLate: (afterMs: number) => void;
}

export interface OtlpReceiver {
  readonly source: LateSource;
  readonly counts: OtlpCounts;
  /** How exchanges and spans met. */
  readonly joins: Readonly<JoinCounts>;
  /** Spans that were dropped before an exchange asked for them. */
  unclaimedSpanCount(): number;
  /** Listens, or rejects with the system's error (`EADDRINUSE`, …). */
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes no more, and gives what waits for the collector a last chance. */
  close(): Promise<void>;
}

export function createOtlpReceiver(options: OtlpReceiverOptions): OtlpReceiver {
  const { targets, onForwardFailed, onForwarded } = options;
  const counts = noCounts();
  const store = new SpanStore();
  const source = new SpanSource({ store, waitMs: options.evidenceWaitMs, onLate: options.onLate });
  const forwarder = new Forwarder({
    senders: {
      traces: senderFor(targets.traces),
      metrics: senderFor(targets.metrics),
      logs: senderFor(targets.logs),
    },
    counts,
    onLost: (fault) => onForwardFailed(fault, nowMs()),
    onSent: onForwarded,
  });
  const intake = new Intake({ onSpan: (span, atNs) => source.take(span, atNs), forwarder, targets, counts });
  let listener: Listener | undefined;
  return {
    source,
    counts,
    joins: source.counts,
    unclaimedSpanCount: () => store.unclaimedCount,
    async start() {
      listener = await listen({
        host: options.host,
        port: options.port,
        http: createHttpIntake(intake),
        grpc: createGrpcIntake(intake),
        onTurnedAway: () => {
          counts.dropped.connection += 1;
        },
      });
      return { host: listener.host, port: listener.port };
    },
    async close() {
      await listener?.close();
      await forwarder.close();
    },
  };
}

function senderFor(target: CollectorTarget | undefined): Sender | undefined {
  if (target === undefined) return undefined;
  return target.protocol === 'grpc' ? createGrpcSender(target) : createHttpSender(target);
}
