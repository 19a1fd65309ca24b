// One port for OTLP over HTTP and over gRPC. The first three bytes tell them apart: HTTP/2 with prior
// knowledge begins with `PRI * HTTP/2.0`, and no method of HTTP/1.1 that we take begins with `PRI`.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { OTLP_CONNECTIONS_MAX_COUNT, OTLP_HEAD_TIMEOUT_MS } from '../../base/otlp-limits.ts';
import type { GrpcIntake } from './grpc-intake.ts';

const PREFACE = Buffer.from('PRI');

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** The HTTP/1.1 server, whose port it becomes. */
  readonly http: Server;
  readonly grpc: GrpcIntake;
  /** A connection beyond the cap was turned away. */
  readonly onTurnedAway: () => void;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Listens, or rejects with the system's error (`EADDRINUSE`, …). */
export async function listen({ host, port, http, grpc, onTurnedAway }: ListenerOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const takeHttp = http.listeners('connection') as ((socket: Socket) => void)[];
  http.removeAllListeners('connection');
  http.maxConnections = OTLP_CONNECTIONS_MAX_COUNT;
  http.on('drop', onTurnedAway);
  http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Whoever takes the connection over listens for its end itself; this is for those nobody took.
    socket.on('error', () => socket.destroy());
    peek(socket, (first) => {
      if (first.equals(PREFACE)) grpc.inject(socket);
      else for (const take of takeHttp) take.call(http, socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen({ host, port }, () => {
      http.off('error', reject);
      resolve();
    });
  });
  const address = http.address();
  return {
    host,
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      const closed = new Promise<void>((resolve) => {
        http.close(() => resolve());
      });
      grpc.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Tells the first bytes of a connection, which stay to be read; closes one that says nothing in time. */
function peek(socket: Socket, tell: (first: Buffer) => void): void {
  const giveUp = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(giveUp, OTLP_HEAD_TIMEOUT_MS);
  timer.unref();
  const look = (): void => {
    const first = socket.read(PREFACE.length) as Buffer | null;
    // With fewer bytes than that there is nothing to read yet, and this is called again.
    if (first === null) return;
    clearTimeout(timer);
    socket.off('readable', look);
    socket.off('end', giveUp);
    // Fewer than asked for come only when there will be no more.
    if (first.length < PREFACE.length) return giveUp();
    socket.unshift(first);
    tell(first);
    return undefined;
  };
  socket.on('readable', look);
  // A server of HTTP lets a client close its half first, and so would keep one that has said nothing.
  socket.on('end', giveUp);
  socket.once('close', () => clearTimeout(timer));
}
