// A collector that speaks gRPC and keeps the bytes of every message, unread.
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { GRPC_PATHS, SIGNALS, type Signal } from '../../src/observe/otlp/signals.ts';

export class GrpcCatcher {
  readonly messages: { readonly signal: Signal; readonly bytes: Buffer; readonly token: unknown }[] = [];
  /** Answers `UNAVAILABLE` so many times first. */
  refusals = 0;
  readonly #server = new Server();
  url = '';

  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<GrpcCatcher> {
    const catcher = new GrpcCatcher();
    const same = (bytes: Buffer): Buffer => bytes;
    for (const signal of SIGNALS) {
      const method = { path: GRPC_PATHS[signal], requestStream: false, responseStream: false } as const;
      const codec = {
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      };
      catcher.#server.addService(
        { export: { ...method, ...codec } },
        {
          export: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
            catcher.#take(signal, call, done),
        },
      );
    }
    const port = await new Promise<number>((resolve, reject) => {
      catcher.#server.bindAsync('127.0.0.1:0', credentialsOf(tls), (error, bound) => {
        if (error === null) resolve(bound);
        else reject(error);
      });
    });
    catcher.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    return catcher;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  #take(signal: Signal, { request, metadata }: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>): void {
    if (this.refusals > 0) {
      this.refusals -= 1;
      done({ code: status.UNAVAILABLE, details: 'not now' });
      return;
    }
    this.messages.push({ signal, bytes: request, token: metadata.get('x-token')[0] });
    done(null, Buffer.alloc(0));
  }
}

function credentialsOf(tls: { readonly cert: string; readonly key: string } | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) };
  return ServerCredentials.createSsl(null, [pair], false);
}
