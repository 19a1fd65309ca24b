// What went into a hop and came out of it by the kernel's own stamps: packets on loopback, seen by a process that
// stands in nobody's way (packet-tap.py). Needs Linux, Python and the right to open packet sockets.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { MessageParser, type WireMessage } from '../../support/wire-parser.ts';

/** Source port, destination port, sequence number, ended, ns since the first of them, payload. */
type Row = readonly [from: number, to: number, sequence: number, ended: boolean, atNs: number, base64: string];
interface Taken {
  readonly packets: readonly Row[];
  readonly dropped: number;
}

const SCRIPT = join(import.meta.dirname, 'packet-tap.py');
const SEQUENCE_MODULUS = 2 ** 32;

export class PacketTap {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;

  private constructor(process: ChildProcessWithoutNullStreams) {
    this.#process = process;
    this.#lines = createInterface({ input: process.stdout });
  }

  /** Undefined where packets cannot be seen: not root, no Python, not Linux. */
  static async start(ports: readonly number[]): Promise<PacketTap | undefined> {
    const child = spawn('python3', [SCRIPT, ...ports.map(String)]);
    const tap = new PacketTap(child);
    const isThere = await Promise.race([
      once(tap.#lines, 'line').then(() => true),
      once(child, 'close').then(() => false),
      once(child, 'error').then(() => false),
    ]);
    if (isThere) return tap;
    child.kill();
    return undefined;
  }

  /** Answers that left these ports since the last time, each with the moments at which its body went over the wire. */
  async take(): Promise<Map<number, WireMessage[]>> {
    const line = once(this.#lines, 'line');
    this.#process.stdin.write('take\n');
    const { packets, dropped } = JSON.parse(String((await line)[0])) as Taken;
    if (dropped > 0) throw new Error(`the kernel dropped ${dropped} packets before they were seen`);
    const answers = new Map<number, WireMessage[]>();
    for (const rows of Map.groupBy(packets, ([from, to]) => `${from} ${to}`).values()) {
      const port = rows[0]?.[0] ?? 0;
      answers.set(port, [...(answers.get(port) ?? []), ...answersOf(rows)]);
    }
    return answers;
  }

  async stop(): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.stdin.end();
    await closed;
  }
}

/** One direction of one connection, in order of its bytes; what was sent again is left out. */
function answersOf(rows: readonly Row[]): WireMessage[] {
  const start = rows[0]?.[2] ?? 0;
  const offsetOf = (sequence: number): number => {
    const off = (sequence - start + SEQUENCE_MODULUS) % SEQUENCE_MODULUS;
    return off > SEQUENCE_MODULUS / 2 ? off - SEQUENCE_MODULUS : off;
  };
  const parser = new MessageParser({ kind: 'response' });
  let next = 0;
  for (const [, , sequence, ended, atNs, base64] of rows.toSorted((a, b) => offsetOf(a[2]) - offsetOf(b[2]))) {
    const bytes = Buffer.from(base64, 'base64');
    const fresh = bytes.subarray(Math.max(0, next - offsetOf(sequence)));
    if (fresh.length > 0) parser.feed(fresh, atNs);
    next = Math.max(next, offsetOf(sequence) + bytes.length);
    if (ended) parser.end(atNs);
  }
  return parser.messages;
}
