// An engine of bodies as large as asked for, down and up, with back-pressure, and a client that reads or writes them.
// Nothing is looked at but lengths: whether the bytes are right, other tests see.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export const MIB = 1024 * 1024;
const BLOCK = Buffer.alloc(MIB, 'rubato ');
const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) } }] })}\n\n`;
/** Some sixty events in as many chunks of the coding. */
const EVENTS = Buffer.from(`${EVENT.length.toString(16)}\r\n${EVENT}\r\n`.repeat(64));
const END = 'data: [DONE]\n\n';

/** Writes a block so many times, as fast as it is taken. */
function pour(socket: Socket, block: Buffer, count: number, onWritten: (bytes: number) => void, onDone: () => void) {
  let left = count;
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      onWritten(block.length);
      if (!socket.write(block)) return void socket.once('drain', more);
    }
    onDone();
  };
  more();
}

export class BigEngine {
  /** Bytes of bodies that the engine got rid of. */
  writtenBytes = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(): Promise<BigEngine> {
    const engine = new BigEngine();
    await new Promise<void>((resolve) => engine.#server.listen({ port: 0, host: '127.0.0.1', backlog: 512 }, resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let uploadLeft = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      let taken = bytes.length;
      if (uploadLeft === 0) {
        const head = bytes.toString('latin1');
        const mib = Number(/x-mib: (\d+)/.exec(head)?.[1] ?? 1);
        if (!head.startsWith('POST /up')) return this.#answer(socket, head.includes('?events'), mib);
        uploadLeft = mib * MIB;
        taken -= head.indexOf('\r\n\r\n') + 4;
      }
      uploadLeft -= taken;
      if (uploadLeft === 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  }

  #answer(socket: Socket, isStream: boolean, mib: number): void {
    const onWritten = (bytes: number): void => void (this.writtenBytes += bytes);
    if (!isStream) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${mib * MIB}\r\n\r\n`);
      return pour(socket, BLOCK, mib, onWritten, () => undefined);
    }
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    const count = Math.ceil((mib * MIB) / EVENTS.length);
    pour(socket, EVENTS, count, onWritten, () => {
      socket.write(`${END.length.toString(16)}\r\n${END}\r\n0\r\n\r\n`);
    });
  }
}

export class BigClient {
  readBytes = 0;
  readonly #socket: Socket;
  readonly #over = Promise.withResolvers<void>();
  #tail = '';

  constructor(port: number, way: 'down' | 'up' | 'events', mib: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const fields = `host: x\r\nx-mib: ${mib}\r\n${way === 'up' ? `content-length: ${mib * MIB}\r\n` : ''}`;
    this.#socket.write(`POST /${way === 'events' ? 'v1/chat/completions?events' : way} HTTP/1.1\r\n${fields}\r\n`);
    if (way === 'up')
      pour(
        this.#socket,
        BLOCK,
        mib,
        () => undefined,
        () => undefined,
      );
    this.#socket.on('data', (bytes: Buffer) => {
      this.readBytes += bytes.length;
      if (way !== 'down') this.#tail = (this.#tail + bytes.subarray(-64).toString('latin1')).slice(-64);
      const isWhole = way === 'events' ? this.#tail.endsWith('0\r\n\r\n') : way === 'up' && this.#tail.endsWith('ok');
      if (isWhole || (way === 'down' && this.readBytes > mib * MIB)) this.#end();
    });
    this.#socket.on('error', (fault) => this.#over.reject(fault));
    this.#socket.on('close', () => this.#over.reject(new Error(`cut after ${this.readBytes} bytes`)));
    this.#over.promise.catch(() => undefined);
  }

  /** The answer has come whole. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #end(): void {
    this.#over.resolve();
    this.#socket.destroy();
  }
}
