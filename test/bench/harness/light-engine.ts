// An engine for benches, as light as can be: it knows which stream a request asks for by one field, and
// writes what it is told when it is told. Nothing is parsed but that field and the request's end.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onStreamRequest } from '../../support/stream-requests.ts';

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n',
);

/** Event of a usual size; all alike, because only their number matters here. */
const EVENT = `data: ${JSON.stringify({
  id: 'chatcmpl-0123456789abcdef0123456789abcdef',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'bench',
  choices: [{ index: 0, delta: { content: ' token' }, logprobs: null, finish_reason: null }],
})}\n\n`;
const LAST = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

export const EVENT_BYTES = Buffer.byteLength(EVENT);
const CHUNK = chunked(EVENT);
const END = Buffer.concat([chunked(LAST), Buffer.from('0\r\n\r\n')]);

function chunked(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

/** One answer under way. */
export interface Answer {
  head(): void;
  chunk(): void;
  end(): void;
}

export class LightEngine {
  /** Called with the number of the stream that a request asks for. */
  onRequest: (stream: number, answer: Answer) => void = () => undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(): Promise<LightEngine> {
    const engine = new LightEngine();
    const at = { port: 0, host: '127.0.0.1', backlog: 4096 };
    await new Promise<void>((resolve) => engine.#server.listen(at, resolve));
    return engine;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    onStreamRequest(socket, (stream) => {
      this.onRequest(stream, {
        head: () => void socket.write(HEAD),
        chunk: () => void socket.write(CHUNK),
        end: () => void socket.write(END),
      });
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

/** The request that asks for a stream. */
export function requestFor(stream: number): Buffer {
  const body = JSON.stringify({
    model: 'bench',
    stream: true,
    messages: [{ role: 'user', content: 'Say something.' }],
  });
  const fields = `host: bench\r\nx-stream: ${stream}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  return Buffer.from(`POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
}
