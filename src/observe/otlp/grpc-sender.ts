// Sends payloads to a collector over gRPC: the message's bytes as they came, unread.
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { OTLP_ANSWER_MAX_BYTES, OTLP_DECODED_MAX_BYTES } from '../../base/otlp-limits.ts';
import type { Sender, SendResult } from './forwarder.ts';
import { GRPC_PATHS, type CollectorTarget, type Payload } from './signals.ts';

/** Codes after which the specification of OTLP/gRPC has a client try again. */
const RETRYABLE: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.RESOURCE_EXHAUSTED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

const sameBytes = (bytes: Buffer): Buffer => bytes;

export function createGrpcSender(target: CollectorTarget): Sender {
  const { protocol, host } = new URL(target.url);
  const { ca, cert, key } = target.tls;
  const secure = protocol === 'https:';
  const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));
  const channel = secure ? credentials.createSsl(pem(ca), pem(key), pem(cert)) : credentials.createInsecure();
  const client = new Client(host, channel, {
    'grpc.max_send_message_length': OTLP_DECODED_MAX_BYTES,
    'grpc.max_receive_message_length': OTLP_ANSWER_MAX_BYTES,
    // Whether something is sent again is decided in one place, and that is not the library.
    'grpc.enable_retries': 0,
  });
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(target.headers)) metadata.set(name, value);
  return {
    send: (payload) => send(client, metadata, { payload, timeoutMs: target.timeoutMs }),
    close: () => client.close(),
  };
}

interface Call {
  readonly payload: Payload;
  readonly timeoutMs: number;
}

function send(client: Client, metadata: Metadata, { payload, timeoutMs }: Call): Promise<SendResult> {
  const path = GRPC_PATHS[payload.signal];
  return new Promise((resolve) => {
    const call = client.makeUnaryRequest(path, sameBytes, sameBytes, payload.bytes, metadata, (error) => {
      clearTimeout(timer);
      if (error === null) resolve({ sent: true });
      else resolve({ sent: false, fault: status[error.code] ?? 'UNKNOWN', again: RETRYABLE.has(error.code) });
    });
    // A deadline of the library is a moment of the wall clock, which may be stepped; this one cannot.
    const timer = setTimeout(() => {
      resolve({ sent: false, fault: 'DEADLINE_EXCEEDED', again: true });
      call.cancel();
    }, timeoutMs);
  });
}
