// A client made of nothing but TCP: it writes the bytes it is given and notes when each read came.
// Responses are split into their parts but never normalised.
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { nowNs } from '../../src/base/clock.ts';
import { bytesOf } from './script.ts';
import { Signal } from './signal.ts';
import { MessageParser, type WireMessage } from './wire-parser.ts';

export class RawClient {
  readonly signal = new Signal();
  readonly parser: MessageParser = new MessageParser({ kind: 'response' });
  readonly reads: { atNs: number; bytes: number }[] = [];
  /** Moment just before the last call of `request`. */
  sentAtNs = 0;
  /** The peer half-closed. */
  finAtNs: number | undefined;
  closedAtNs: number | undefined;
  errorCode: string | undefined;
  readonly #socket: Socket;
  /** The TCP below, where there is TLS above it. */
  readonly #tcp: Socket;
  readonly #lastBytes: Buffer[] = [];

  private constructor(socket: Socket, tcp: Socket) {
    this.#socket = socket;
    this.#tcp = tcp;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('end', () => {
      this.finAtNs = nowNs();
      this.parser.end(this.finAtNs);
      this.signal.notify();
      socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.errorCode = error.code ?? error.message;
    });
    socket.on('close', () => {
      this.closedAtNs = nowNs();
      this.signal.notify();
    });
  }

  static async open(port: number, options: { readonly ca?: string } = {}): Promise<RawClient> {
    const to = { host: '127.0.0.1', port, allowHalfOpen: true };
    const { ca } = options;
    const tcp = connect(to);
    const socket = ca === undefined ? tcp : connectTls({ socket: tcp, ca, servername: 'localhost' });
    const client = new RawClient(socket, tcp);
    await new Promise<void>((resolve, reject) => {
      socket.once(ca === undefined ? 'connect' : 'secureConnect', resolve);
      socket.once('error', reject);
    });
    return client;
  }

  /** Where this client's socket is on this machine. */
  get localPort(): number {
    return this.#socket.localPort ?? 0;
  }

  /** Bytes that Node could not hand to the kernel yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Sends the head of a request (and what follows it); needed once a request, for HEAD has no body. */
  request(bytes: string | Buffer): void {
    this.sentAtNs = nowNs();
    this.parser.bodyless.push(bytesOf(bytes).subarray(0, 5).toString() === 'HEAD ');
    this.#socket.write(bytesOf(bytes));
  }

  /** Sends bytes; resolves when Node can take more. */
  async send(bytes: string | Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.write(bytesOf(bytes))) return;
    const socket = this.#socket;
    socket.once('drain', () => this.signal.notify());
    await this.signal.until('room to send', () => socket.destroyed || !socket.writableNeedDrain, 60_000);
  }

  fin(): void {
    this.#socket.end();
  }

  rst(): void {
    this.#tcp.resetAndDestroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }

  get gone(): boolean {
    return this.finAtNs !== undefined || this.closedAtNs !== undefined;
  }

  untilGone(waitMs?: number): Promise<void> {
    return this.signal.until('the connection to be closed', () => this.gone, waitMs);
  }

  /** The n-th response, as soon as it is over: complete, or cut by the end of the connection. */
  async response(index = 0, waitMs?: number): Promise<WireMessage> {
    const over = (): boolean =>
      this.parser.messages[index]?.complete === true || this.gone || this.parser.fault !== undefined;
    await this.signal.until(`response ${index}`, over, waitMs);
    const message = this.parser.messages[index];
    if (this.parser.fault !== undefined) throw new Error(`the response is malformed: ${this.parser.fault}`);
    if (message === undefined)
      throw new Error(`the connection ended without response ${index} (${this.errorCode ?? 'FIN'})`);
    return message;
  }

  /** The n-th response, as soon as its head is there. */
  async responseHead(index = 0, waitMs?: number): Promise<WireMessage> {
    const there = (): boolean => this.parser.messages[index]?.head !== undefined;
    await this.signal.until(`head of response ${index}`, () => there() || this.gone, waitMs);
    if (!there()) throw new Error(`the connection ended without a head (${this.errorCode ?? 'FIN'})`);
    return this.parser.messages[index] as WireMessage;
  }

  /** So much body of the n-th response. */
  async bodyBytes(bytes: number, index = 0, waitMs?: number): Promise<void> {
    await this.signal.until(
      `${bytes} body bytes`,
      () => (this.parser.messages[index]?.bodyBytes ?? 0) >= bytes,
      waitMs,
    );
  }

  /** The last bytes that came, raw: to see whether a last chunk was among them. */
  get tail(): string {
    return Buffer.concat(this.#lastBytes).toString('latin1');
  }

  #onData(bytes: Buffer): void {
    const atNs = nowNs();
    this.reads.push({ atNs, bytes: bytes.length });
    this.#lastBytes.push(bytes.subarray(-64));
    if (this.#lastBytes.length > 4) this.#lastBytes.shift();
    this.parser.feed(bytes, atNs);
    this.signal.notify();
  }
}
