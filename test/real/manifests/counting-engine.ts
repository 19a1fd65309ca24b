// An engine that counts: it streams as many events as the body asks for, one every 20 ms, and keeps which requests
// came, so that one that was sent twice is seen. And a client for it that says how an answer ended.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const EVENT_EVERY_MS = 20;
/** A cut is told at once; who waits longer than this waits for nothing. */
const ANSWER_WAIT_MS = 30_000;

export interface CountingEngine {
  readonly port: number;
  /** The ids of the requests whose bodies came, in order. */
  readonly ids: readonly string[];
  close(): Promise<void>;
}

export async function startCountingEngine(): Promise<CountingEngine> {
  const ids: string[] = [];
  const server = createServer((asked, answer) => {
    let body = '';
    asked.setEncoding('utf8').on('data', (text: string) => (body += text));
    asked.on('end', () => {
      const { id = 'none', events = 0 } = body === '' ? {} : (JSON.parse(body) as { id?: string; events?: number });
      ids.push(id);
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.flushHeaders();
      let sent = 0;
      const timer = setInterval(() => {
        if (sent < events) answer.write(`data: {"choices":[{"index":0,"delta":{"content":"word ${++sent}"}}]}\n\n`);
        else answer.end('data: [DONE]\n\n');
        if (sent >= events && answer.writableEnded) clearInterval(timer);
      }, EVENT_EVERY_MS);
      answer.on('close', () => clearInterval(timer));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    ids,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

export interface Answer {
  readonly status: number;
  /** The body ended as HTTP says it ends; else whoever sent it went in the middle, and the client can tell. */
  readonly isWhole: boolean;
  readonly text: string;
}

export interface Asking {
  readonly port: number;
  readonly id: string;
  readonly events: number;
  /** Called at the first piece of the body. */
  readonly onFirst?: () => void;
}

export function askStream({ port, id, events, onFirst }: Asking): Promise<Answer> {
  const body = JSON.stringify({ id, events, model: 'm', stream: true, messages: [] });
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        // A connection of its own, so that no answer depends on the one before.
        agent: false,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (more: string) => {
          if (text === '') onFirst?.();
          text += more;
        });
        // Node says the same by an error; which of the two comes first does not matter.
        answer.on('error', () => {});
        answer.on('close', () => resolve({ status: answer.statusCode ?? 0, isWhole: answer.complete, text }));
      },
    );
    asked.setTimeout(ANSWER_WAIT_MS, () => asked.destroy(new Error(`no answer to ${id}`)));
    asked.on('error', reject);
    asked.end(body);
  });
}
