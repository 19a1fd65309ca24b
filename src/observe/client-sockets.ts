// What only the kernel knows of clients, from /proc/net/tcp and tcp6 of Linux
// (Documentation/networking/proc_net_tcp.rst):
//  - tx_queue: bytes the client has not acknowledged. "Flushed" means handed to the kernel, which can
//    hold megabytes for a slow client.
//  - state: whether the client has gone while its upload is blocked. Then nobody reads its connection,
//    and who does not read is not told. The relay, which knows whether it reads, has the last word.
// A client's close can wait behind bytes that have no room with us. Then only the client's own line says
// so, and only where it is in the same tables: on the same machine, or in the same pod.
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenEntry } from '../tape/entries.ts';
import type { ObservedExchange } from './observed-exchange.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const SAMPLE_MS = 1_000;
const ESTABLISHED = 1;
/** The client has closed its side, and all it sent is with us. */
const CLOSE_WAIT = 8;
/** Of the client's own line: it has closed, and its close is under way or behind bytes that are. */
const LEAVING: ReadonlySet<number> = new Set([4, 5, 9, 11]);
/** A reset connection is not in the tables; one look may have come between. */
const GONE_AFTER_MISSES = 2;
/** Between two turns of the loop: a line takes some 2 µs, an exchange 5. */
const LINES_PER_TURN = 300;
const EXCHANGES_PER_TURN = 100;

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

  #look(exchange: ObservedExchange, tables: SocketTables): void {
    const key = socketKey(exchange.opening);
    const socket = tables.sockets.get(key);
    if (socket !== undefined) exchange.onUnacked(socket.unackedBytes);
    // Once the upload is over the relay reads on, and is told itself.
    if (exchange.marks.uploadEndAtNs !== undefined) return;
    if (socket === undefined) return this.#miss(exchange);
    // Also at the first look: a client may go within its first second.
    const hasClosed = socket.state === CLOSE_WAIT || tables.leaving.has(leavingKey(key, socket));
    if (hasClosed) return exchange.tellClientGone();
    if (socket.state === ESTABLISHED || this.#misses.has(exchange)) this.#misses.set(exchange, 0);
  }

  /** Only who was seen before can be missed. */
  #miss(exchange: ObservedExchange): void {
    const missesBefore = this.#misses.get(exchange);
    if (missesBefore === undefined) return;
    this.#misses.set(exchange, missesBefore + 1);
    if (missesBefore + 1 >= GONE_AFTER_MISSES) exchange.tellClientGone();
  }

  async #sample(): Promise<void> {
    // One look at a time: on a machine with very many sockets a look takes longer than a second.
    if (this.#sampling || this.#open()[Symbol.iterator]().next().done === true) return;
    this.#sampling = true;
    try {
      const texts = await Promise.all(TABLES.map((path) => readTable(path)));
      // A table that could not be read (no descriptor was left) says nothing of who is gone, and neither does
      // an empty one: the admin port's own socket stands in it.
      if (texts.includes(undefined)) return;
      const tables = new SocketTables();
      for (const _ of tables.take(texts.join(''), LINES_PER_TURN)) await nextTurn();
      if (tables.sockets.size === 0) return;
      let count = 0;
      // Who opened meanwhile is not in these tables yet, which is why nobody is missed before being seen.
      for (const exchange of this.#open()) {
        this.#look(exchange, tables);
        count += 1;
        if (count % EXCHANGES_PER_TURN === 0) await nextTurn();
      }
    } finally {
      this.#sampling = false;
    }
  }
}

/** A table that does not exist (no IPv6, no Linux) is empty; one that cannot be read is undefined. */
async function readTable(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : undefined;
  }
}

export interface SocketState {
  /** As Linux numbers them; 1 is established. */
  readonly state: number;
  readonly unackedBytes: number;
  readonly localAddress: string;
}

const LINE = /^ *\d+: ([0-9A-F]+):([0-9A-F]+) ([0-9A-F]+):([0-9A-F]+) ([0-9A-F]+) ([0-9A-F]+):/;
/** How far behind the number of a line its state stands, by the length of an address. */
const STATE_AT_IPV4 = ': AAAAAAAA:PPPP AAAAAAAA:PPPP'.length;
const STATE_AT_IPV6 = STATE_AT_IPV4 + 2 * (32 - 8);
/** Nobody's any more: kept by the kernel for a minute, so that a busy port has ten thousand of them. */
const TIME_WAIT = ' 06 ';

/** What the tables say; lines that are none (titles, halves) are passed over. */
export class SocketTables {
  /** By {@link socketKey}. */
  readonly sockets = new Map<string, SocketState>();
  /** Lines of closing sockets as seen from their other end, by {@link leavingKey}. */
  readonly leaving = new Set<string>();

  /** Takes tables, one behind the other; gives way after so many lines, for with 2,000 streams there are 8,000. */
  *take(text: string, linesPerTurn = Infinity): Generator<undefined, void> {
    let lineCount = 0;
    for (let at = 0; at < text.length; lineCount += 1) {
      const end = text.indexOf('\n', at);
      const next = end < 0 ? text.length : end + 1;
      if (!isTimeWait(text, at)) this.#add(text.slice(at, next));
      at = next;
      if (lineCount % linesPerTurn === linesPerTurn - 1) yield;
    }
  }

  #add(line: string): void {
    const found = LINE.exec(line);
    if (found === null) return;
    const [, local = '', localPort = '', remote = '', port = '', stateText = '', unacked = ''] = found;
    const localAddress = plainAddress(local);
    const address = plainAddress(remote);
    const state = Number.parseInt(stateText, 16);
    const unackedBytes = Number.parseInt(unacked, 16);
    this.sockets.set(`${localPort}-${address}:${port}`, { state, unackedBytes, localAddress });
    if (LEAVING.has(state)) this.leaving.add(`${port}-${localAddress}:${localPort}-${address}`);
  }
}

function isTimeWait(text: string, lineAt: number): boolean {
  const colonAt = text.indexOf(':', lineAt);
  return text.startsWith(TIME_WAIT, colonAt + STATE_AT_IPV4) || text.startsWith(TIME_WAIT, colonAt + STATE_AT_IPV6);
}

/** The name of the client's own line, from the key of ours. */
export function leavingKey(key: string, { localAddress }: SocketState): string {
  return `${key}-${localAddress}`;
}

/** IPv4 addresses stand in the table of IPv6 with a prefix, where the socket listens to both. */
const MAPPED_PREFIX = '0000000000000000FFFF0000';

function plainAddress(address: string): string {
  return address.startsWith(MAPPED_PREFIX) ? address.slice(MAPPED_PREFIX.length) : address;
}

type ClientEnd = Pick<OpenEntry, 'localPort' | 'clientAddress' | 'clientPort'>;

/** The socket of a client as the tables name it: upper-case hex, addresses as little-endian words. */
export function socketKey({ localPort, clientAddress, clientPort }: ClientEnd): string {
  const address = plainAddress(hexAddress(clientAddress));
  return `${hexPort(localPort)}-${address}:${hexPort(clientPort)}`;
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
