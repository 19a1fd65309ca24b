// An engine for benches, as light as can be: it knows which stream a request asks for by one number, and writes what
// it is told when it is told. Nothing is parsed but that number, the target and the request's end. What carries no
// number (a gateway that looks whether the engine lives, or asks for its models) is answered at once.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onStreamRequest } from '../../support/stream-requests.ts';
import { EVENT_MARK } from './answer-count.ts';

const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n',
);
const ENVELOPE = { id: 'chatcmpl-0123456789abcdef0123456789abcdef', created: 1_760_000_000, model: 'bench' };
/** What a stream ends with. */
export const LAST_TEXT = `data: ${JSON.stringify({
  ...ENVELOPE,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;

const CHUNK = eventChunk(' token');
const END = Buffer.concat([chunked(LAST_TEXT), Buffer.from('0\r\n\r\n')]);
const WHOLE = jsonAnswer({
  ...ENVELOPE,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A short answer.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
});
const MODELS = jsonAnswer({ object: 'list', data: [{ id: 'bench', object: 'model' }] });
/** To whatever else is asked about a prompt: vLLM's router wants it rendered first, and lives without. */
const NOT_FOUND = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');

function chunked(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

function jsonAnswer(body: unknown): Buffer {
  const text = JSON.stringify(body);
  const fields = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return Buffer.from(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${text}`);
}

/** One event with this text and the mark that counts it, as a chunk of the coding: the write of a token. */
export function eventChunk(text: string): Buffer {
  return chunked(eventText(text));
}

/** The same without the coding. */
export function eventText(text: string): string {
  const event = {
    ...ENVELOPE,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: `${text}${EVENT_MARK}` }, logprobs: null, finish_reason: null }],
  };
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** One answer under way. */
export interface Answer {
  head(): void;
  /** An event of a usual size, all alike because only their number matters here, or another. */
  chunk(event?: Buffer): void;
  end(): void;
  /** All of an answer that is no stream, instead of the three others. */
  whole(): void;
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
    onStreamRequest(socket, (stream, target) => {
      if (Number.isNaN(stream)) return void socket.write(MODELS);
      if (!target.endsWith('/chat/completions')) return void socket.write(NOT_FOUND);
      this.onRequest(stream, {
        head: () => void socket.write(HEAD),
        chunk: (event = CHUNK) => void socket.write(event),
        end: () => void socket.write(END),
        whole: () => void socket.write(WHOLE),
      });
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

/** What requests through a gateway need beside the usual. */
export interface RequestShape {
  readonly path?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request says; the number is in the prompt. */
export function requestBody(number: number, model = 'bench', isStream = true): string {
  return JSON.stringify({
    model,
    stream: isStream,
    messages: [{ role: 'user', content: `Say something. x-stream: ${number}` }],
  });
}

/** The request that asks for an answer, as a stream or whole; its number is in the prompt, which all let through. */
export function requestFor(number: number, shape: RequestShape = {}, isStream = true): Buffer {
  const { path = '/v1/chat/completions', model = 'bench', headers = {} } = shape;
  const body = requestBody(number, model, isStream);
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const fields = `host: bench\r\ncontent-type: application/json\r\n${more.join('')}content-length: ${body.length}`;
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${fields}\r\n\r\n${body}`);
}
