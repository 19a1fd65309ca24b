// An engine that answers `/good/…` as it should, with the path as its body, and everything else with the bytes it
// was told to, on the same kept connections: whatever is left over on one shows in somebody's good answer.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A connection on which nothing is asked any more is closed after so long: half an answer must not take for ever. */
const QUIET_MS = 40;

export class HostileEngine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(answerOf: (path: string) => Buffer) {
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      let held = '';
      let quiet: NodeJS.Timeout | undefined;
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(quiet);
        this.#sockets.delete(socket);
      });
      socket.on('data', (bytes: Buffer) => {
        held += bytes.toString('latin1');
        for (let end = held.indexOf('\r\n\r\n'); end >= 0; end = held.indexOf('\r\n\r\n')) {
          const path = held.split(' ', 2)[1] ?? '';
          held = held.slice(end + 4);
          clearTimeout(quiet);
          if (path.startsWith('/good/')) {
            socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${path.length}\r\n\r\n${path}`);
            continue;
          }
          socket.write(answerOf(path));
          quiet = setTimeout(() => socket.end(), QUIET_MS);
        }
      });
    });
  }

  static async start(answerOf: (path: string) => Buffer): Promise<HostileEngine> {
    const engine = new HostileEngine(answerOf);
    await new Promise<void>((resolve) => engine.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
