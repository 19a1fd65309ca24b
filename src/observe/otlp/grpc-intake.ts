// OTLP over gRPC: the three Export methods, whose messages stay bytes. Connections are handed in, because
// the port is shared with HTTP.
import type { Socket } from 'node:net';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import {
  OTLP_GRPC_LIFE_GRACE_MS,
  OTLP_GRPC_LIFE_MS,
  OTLP_GRPC_MESSAGE_MAX_BYTES,
  OTLP_GRPC_STREAMS_MAX_COUNT,
  OTLP_IDLE_MS,
} from '../../base/otlp-limits.ts';
import type { DropReason } from './counts.ts';
import type { Intake, Verdict } from './intake.ts';
import { GRPC_PATHS, PROTOBUF_TYPE, SIGNALS, type Signal } from './signals.ts';

export interface GrpcIntake {
  /** Takes over a connection that began with the preface of HTTP/2. */
  inject(socket: Socket): void;
  close(): void;
}

const sameBytes = (bytes: Buffer): Buffer => bytes;

export function createGrpcIntake(intake: Intake): GrpcIntake {
  const server = new Server({
    'grpc.max_receive_message_length': OTLP_GRPC_MESSAGE_MAX_BYTES,
    'grpc.max_concurrent_streams': OTLP_GRPC_STREAMS_MAX_COUNT,
    'grpc.max_connection_idle_ms': OTLP_IDLE_MS,
    // A call that never ends holds its bytes; nothing but the end of its connection bounds that.
    'grpc.max_connection_age_ms': OTLP_GRPC_LIFE_MS,
    'grpc.max_connection_age_grace_ms': OTLP_GRPC_LIFE_GRACE_MS,
    'grpc.enable_channelz': 0,
  });
  for (const signal of SIGNALS) {
    server.addService(serviceOf(signal), {
      export: (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => {
        void handle(signal, call.request, intake).then((verdict) => respond(verdict, callback));
      },
    });
  }
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    inject(socket) {
      // A server of HTTP/1.1 lets clients close their half first; HTTP/2 counts on hearing of the end.
      socket.allowHalfOpen = false;
      injector.injectConnection(socket);
    },
    close() {
      injector.destroy();
      server.forceShutdown();
    },
  };
}

function serviceOf(signal: Signal): ServiceDefinition {
  return {
    export: {
      path: GRPC_PATHS[signal],
      requestStream: false,
      responseStream: false,
      requestSerialize: sameBytes,
      requestDeserialize: sameBytes,
      responseSerialize: sameBytes,
      responseDeserialize: sameBytes,
    },
  };
}

async function handle(signal: Signal, bytes: Buffer, intake: Intake): Promise<Verdict> {
  if (!intake.reserve(bytes.length)) return intake.refuse('busy', 'Too much is in work; send it again later.');
  const verdict = await intake.accept({ signal, type: PROTOBUF_TYPE, encoding: undefined, bytes });
  intake.release(bytes.length);
  return verdict;
}

const CODES: Readonly<Partial<Record<DropReason, status>>> = {
  oversize: status.RESOURCE_EXHAUSTED,
  malformed: status.INVALID_ARGUMENT,
  busy: status.UNAVAILABLE,
};

function respond(verdict: Verdict, callback: sendUnaryData<Buffer>): void {
  if (verdict.accepted) callback(null, Buffer.alloc(0));
  else callback({ code: CODES[verdict.reason] ?? status.INTERNAL, details: verdict.message });
}
