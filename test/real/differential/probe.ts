// Sends one request's bytes to a proxy and says what became of them: what the client was answered, and
// what an engine behind it was given. The engine reads nothing into the bytes; it keeps and answers them.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Time without a further byte after which an answer, or a request at the engine, is taken for complete. */
const QUIET_MS = 60;
/** Time a proxy has to say anything at all; the limits of all proxies here are 1 s. */
const ANSWER_MAX_MS = 2_500;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';

export interface Seen {
  /** Status of the first answer; undefined when the connection ended, or nothing came, without one. */
  readonly status: number | undefined;
  /** All bytes that reached the engine, in order of their connections; Latin-1. */
  readonly arrived: string;
}

export class WatchingEngine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #arrived: Buffer[][] = [];

  private constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#onConnection(socket));
  }

  static async start(): Promise<WatchingEngine> {
    const engine = new WatchingEngine();
    await new Promise<void>((resolve) => engine.#server.listen(0, '127.0.0.1', resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What came since the last call. */
  take(): string {
    const text = this.#arrived.map((pieces) => Buffer.concat(pieces).toString('latin1')).join('');
    this.#arrived = [];
    for (const socket of this.#sockets) socket.destroy();
    return text;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #onConnection(socket: Socket): void {
    const pieces: Buffer[] = [];
    this.#arrived.push(pieces);
    this.#sockets.add(socket);
    let quiet: NodeJS.Timeout | undefined;
    socket.on('data', (bytes) => {
      pieces.push(bytes);
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(ANSWER), QUIET_MS);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(quiet);
      this.#sockets.delete(socket);
    });
  }
}

/** What the client is answered: all bytes until the end, or until it stays quiet after the first. */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () =>
      socket.write(Buffer.from(bytes, 'latin1')),
    );
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    let timer = setTimeout(done, ANSWER_MAX_MS);
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(done, QUIET_MS);
    });
    socket.on('error', done);
    socket.on('end', done);
  });
}

export async function probe(port: number, engine: WatchingEngine, bytes: string): Promise<Seen> {
  engine.take();
  const text = await answerTo(port, bytes);
  const status = /^HTTP\/\d\.\d (\d{3})/.exec(text)?.[1];
  // Whoever answers first and sends on afterwards has sent it by now.
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  return { status: status === undefined ? undefined : Number(status), arrived: engine.take() };
}
