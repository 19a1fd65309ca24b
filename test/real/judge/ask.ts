// Asks for many answers, so and so many at a time, each on a TCP connection of its own, and keeps the very
// bytes that came and what the sidecar on the way recorded. Knows nothing of engines.
import { RawClient } from '../../support/raw-client.ts';
import type { RecordEntry, Sidecar } from '../../support/sidecar.ts';
import type { WireMessage } from '../../support/wire-parser.ts';

export interface Question {
  readonly path: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly question: number;
  /** The request was given to the socket. */
  readonly sentAtNs: number;
  readonly message: WireMessage;
}

const ANSWER_WAIT_MS = 120_000;

/** Asks questions 0 to `count` − 1; as soon as one of the `concurrency` askers has its answer it goes on to the next. */
export async function askAll(
  port: number,
  { count, concurrency }: { readonly count: number; readonly concurrency: number },
  question: (index: number) => Question,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const asker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      answers.push(await ask(port, index, question(index)));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, asker));
  return answers;
}

/** One answer with its record. */
export async function askOnce(
  through: Sidecar,
  question: Question,
): Promise<{ readonly answer: Answer; readonly entry: RecordEntry }> {
  const before = through.records().length;
  const answer = await ask(through.listenPort, 0, question);
  const [entry] = await through.recordsAfter(before, 1);
  if (entry === undefined) throw new Error('no record');
  return { answer, entry };
}

async function ask(port: number, index: number, { path, fields, body }: Question): Promise<Answer> {
  const client = await RawClient.open(port);
  try {
    const bytes = Buffer.from(JSON.stringify(body));
    const lines = Object.entries({
      host: `127.0.0.1:${port}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      connection: 'close',
      ...fields,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    client.request(Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]));
    const message = await client.response(0, ANSWER_WAIT_MS);
    if (!message.complete || message.status !== 200)
      throw new Error(`answer ${index} failed: ${message.head?.startLine ?? 'no head'} ${message.body.toString()}`);
    return { question: index, sentAtNs: client.sentAtNs, message };
  } finally {
    client.close();
  }
}

/** The objects in the `data:` lines of an event stream. */
export function dataOf(message: WireMessage): Record<string, unknown>[] {
  return message.body
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);
}
