// What only the kernel knows of clients, from /proc/net/tcp and tcp6 of Linux
// (Documentation/networking/proc_net_tcp.rst):
//  - tx_queue: bytes the client has not acknowledged. "Flushed" means handed to the kernel, which can
//    hold megabytes for a slow client.
//  - state: whether the client has gone while its upload is blocked. Then nobody reads its connection,
//    and who does not read is not told.
import { readFile } from 'node:fs/promises';
import type { OpenEntry } from '../tape/entries.ts';
import type { ObservedExchange } from './observed-exchange.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const SAMPLE_MS = 1_000;
const ESTABLISHED = 1;
/** The client has closed its side. */
const CLOSE_WAIT = 8;
/** A reset connection is not in the tables; one look may have come between. */
const GONE_AFTER_MISSES = 2;

export class ClientSockets {
  readonly #open: () => Iterable<ObservedExchange>;
  readonly #timer: NodeJS.Timeout;
  /** Looks in a row that did not find a connection seen before. */
  readonly #misses = new WeakMap<ObservedExchange, number>();
  #sampling = false;

  constructor(open: () => Iterable<ObservedExchange>) {
    this.#open = open;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(exchange: ObservedExchange, socket: SocketState | undefined): void {
    if (socket !== undefined) exchange.onUnacked(socket.unackedBytes);
    // Once the upload is over the relay reads on, and is told itself.
    if (exchange.marks.uploadEndAtNs !== undefined) return;
    if (socket?.state === ESTABLISHED) this.#misses.set(exchange, 0);
    const missesBefore = this.#misses.get(exchange);
    if (missesBefore === undefined) return;
    const misses = socket === undefined ? missesBefore + 1 : 0;
    this.#misses.set(exchange, misses);
    if (socket?.state === CLOSE_WAIT || misses >= GONE_AFTER_MISSES) exchange.tellClientGone();
  }

  async #sample(): Promise<void> {
    const exchanges = [...this.#open()];
    // One look at a time: on a machine with very many sockets a look takes longer than a second.
    if (exchanges.length === 0 || this.#sampling) return;
    this.#sampling = true;
    try {
      const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
      const sockets = new Map<string, SocketState>();
      for (const text of texts) for (const [key, state] of parseSockets(text)) sockets.set(key, state);
      for (const exchange of exchanges) this.#look(exchange, sockets.get(socketKey(exchange.opening)));
    } finally {
      this.#sampling = false;
    }
  }
}

export interface SocketState {
  /** As Linux numbers them; 1 is established. */
  readonly state: number;
  readonly unackedBytes: number;
}

/** What one table says, by socket; its first line holds the titles. */
export function* parseSockets(text: string): Iterable<[key: string, state: SocketState]> {
  for (const line of text.split('\n').slice(1)) {
    const [, local, remote, state, queues] = line.trim().split(/\s+/);
    const localPort = local?.split(':')[1];
    const [address, port] = remote?.split(':') ?? [];
    const unacked = queues?.split(':')[0];
    if (localPort === undefined || address === undefined || port === undefined) continue;
    if (state === undefined || unacked === undefined) continue;
    const unackedBytes = Number.parseInt(unacked, 16);
    yield [`${localPort}-${address}:${port}`, { state: Number.parseInt(state, 16), unackedBytes }];
  }
}

type ClientEnd = Pick<OpenEntry, 'localPort' | 'clientAddress' | 'clientPort'>;

/** The socket of a client as the tables name it: upper-case hex, addresses as little-endian words. */
export function socketKey({ localPort, clientAddress, clientPort }: ClientEnd): string {
  return `${hexPort(localPort)}-${hexAddress(clientAddress)}:${hexPort(clientPort)}`;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}

function hexAddress(address: string): string {
  const bytes = address.includes(':') ? bytesOfIpv6(address) : address.split('.').map(Number);
  let hex = '';
  for (let word = 0; word < bytes.length; word += 4) {
    for (const byte of bytes.slice(word, word + 4).toReversed()) hex += byte.toString(16).padStart(2, '0');
  }
  return hex.toUpperCase();
}

function bytesOfIpv6(address: string): number[] {
  const plain = address.split('%', 1)[0] as string;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const text = dotted ? `${dotted[1]}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}` : plain;
  const [before = '', after] = text.split('::');
  const front = groups(before);
  const back = after === undefined ? [] : groups(after);
  const zeros = after === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => 0);
  return [...front, ...zeros, ...back].flatMap((group) => [group >> 8, group & 0xff]);
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function hexPair(high: string | undefined, low: string | undefined): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}
