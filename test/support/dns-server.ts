// A name server for tests: answers A and AAAA questions (RFC 1035, RFC 3596) over UDP on loopback from a table
// that may change, slowly or not at all when told so, and counts what it was asked.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';

const HEADER_BYTES = 12;
const TYPE = { a: 1, aaaa: 28 } as const;
const NOT_FOUND = 3;
const FAILED = 2;

export class DnsServer {
  /** Addresses by full name in lower case. */
  readonly names = new Map<string, readonly string[]>();
  ttlSeconds = 1;
  /** What happens to questions: answered, after so many ms, refused with SERVFAIL, or never answered. */
  mode: 'answers' | 'fails' | 'silent' = 'answers';
  delayMs = 0;
  /** Names as they were asked for, one a question. */
  readonly asked: string[] = [];
  readonly #socket: Socket = createSocket('udp4');

  static async start(): Promise<DnsServer> {
    const server = new DnsServer();
    server.#socket.on('message', (question, from) => server.#onQuestion(question, from));
    await new Promise<void>((resolve) => server.#socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  #onQuestion(question: Buffer, from: RemoteInfo): void {
    const { name, endsAt } = readName(question);
    this.asked.push(name);
    if (this.mode === 'silent') return;
    const answer = this.#answerTo(question.subarray(0, endsAt + 4), name, question.readUInt16BE(endsAt));
    setTimeout(() => this.#socket.send(answer, from.port, from.address), this.delayMs);
  }

  /** The question comes back with what there is of its type; EDNS of the question is left out, as it may be. */
  #answerTo(question: Buffer, name: string, type: number): Buffer {
    const known = this.names.get(name);
    const addresses = (known ?? []).filter((address) => type === (isIPv6(address) ? TYPE.aaaa : TYPE.a));
    const head = Buffer.from(question);
    const failed = this.mode === 'fails';
    head.writeUInt16BE(0x8180 | (failed ? FAILED : known === undefined ? NOT_FOUND : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(failed ? 0 : addresses.length, 6);
    head.writeUInt32BE(0, 8);
    return failed ? head : Buffer.concat([head, ...addresses.map((address) => this.#recordOf(type, address))]);
  }

  #recordOf(type: number, address: string): Buffer {
    const data = isIPv6(address) ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number));
    const record = Buffer.alloc(12);
    // The name is the one that stands right behind the header.
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(this.ttlSeconds, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  }
}

function readName(question: Buffer): { name: string; endsAt: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const labelBytes = question[at] as number;
    if (labelBytes === 0) return { name: labels.join('.').toLowerCase(), endsAt: at + 1 };
    labels.push(question.toString('latin1', at + 1, at + 1 + labelBytes));
    at += 1 + labelBytes;
  }
}

/** Only of the forms that tests use: `::1` and addresses written out in full. */
function bytesOfIPv6(address: string): Buffer {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const ends = [groups(left), groups(right)] as const;
  const zeros = Array.from<number>({ length: 8 - ends[0].length - ends[1].length }).fill(0);
  return Buffer.from([...ends[0], ...zeros, ...ends[1]].flatMap((group) => [group >> 8, group & 0xff]));
}
