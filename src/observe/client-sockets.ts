// How much the kernel still holds for each client. "Flushed" means handed to the kernel, which can
// hold megabytes for a slow client; Linux tells how much of it the client has not acknowledged, in
// the column tx_queue of /proc/net/tcp and tcp6 (Documentation/networking/proc_net_tcp.rst).
import { readFile } from 'node:fs/promises';
import type { OpenEntry } from '../tape/entries.ts';
import type { ObservedExchange } from './observed-exchange.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const SAMPLE_MS = 1_000;

export class ClientSockets {
  readonly #open: () => Iterable<ObservedExchange>;
  readonly #timer: NodeJS.Timeout;
  #sampling = false;

  constructor(open: () => Iterable<ObservedExchange>) {
    this.#open = open;
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #sample(): Promise<void> {
    const exchanges = [...this.#open()];
    // One look at a time: on a machine with very many sockets a look takes longer than a second.
    if (exchanges.length === 0 || this.#sampling) return;
    this.#sampling = true;
    try {
      const texts = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
      const held = new Map(texts.flatMap((text) => [...parseSockets(text)]));
      for (const exchange of exchanges) {
        const bytes = held.get(socketKey(exchange.opening));
        if (bytes !== undefined) exchange.onUnacked(bytes);
      }
    } finally {
      this.#sampling = false;
    }
  }
}

/** Unacknowledged bytes by socket, from the text of one table; the first line holds the titles. */
export function* parseSockets(text: string): Iterable<[key: string, unackedBytes: number]> {
  for (const line of text.split('\n').slice(1)) {
    const [, local, remote, , queues] = line.trim().split(/\s+/);
    const localPort = local?.split(':')[1];
    const [address, port] = remote?.split(':') ?? [];
    const unacked = queues?.split(':')[0];
    if (localPort === undefined || address === undefined || port === undefined || unacked === undefined) continue;
    yield [`${localPort}-${address}:${port}`, Number.parseInt(unacked, 16)];
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
    for (const byte of bytes.slice(word, word + 4).reverse()) hex += byte.toString(16).padStart(2, '0');
  }
  return hex.toUpperCase();
}

function bytesOfIpv6(address: string): number[] {
  const plain = address.split('%', 1)[0] as string;
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(plain);
  const text = dotted
    ? `${dotted[1]}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}`
    : plain;
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
