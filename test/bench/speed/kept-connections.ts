// Connections of clients that are used again and again, as those of programs are that ask an engine all day.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Open and ready. Whoever uses it while it fails hears of it there. */
export async function keepConnection(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** As many connections as are in use at once, and no more. */
export class ConnectionPool {
  readonly #port: number;
  readonly #idle: Socket[] = [];
  readonly #all: Socket[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  take(): Socket {
    const idle = this.#idle.pop();
    if (idle !== undefined && !idle.destroyed) return idle;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.setMaxListeners(0);
    socket.on('error', () => undefined);
    this.#all.push(socket);
    return socket;
  }

  giveBack(socket: Socket): void {
    this.#idle.push(socket);
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }
}
