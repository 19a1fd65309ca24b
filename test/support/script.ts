// The words in which wire tests say what an engine writes and when: byte strings with times, and
// the few payloads that nearly every case uses.

/** The engine's clock starts when it has read the request's head. */
export interface Step {
  readonly atMs: number;
  readonly bytes?: Buffer;
  /** `fin` half-closes, `rst` resets, `pause` stops reading from the socket, `resume` goes on. */
  readonly act?: 'fin' | 'rst' | 'pause' | 'resume';
}

/** One write of the engine: its parts go out in one piece. */
export function at(atMs: number, ...parts: readonly (string | Buffer)[]): Step {
  return { atMs, bytes: Buffer.concat(parts.map((part) => bytesOf(part))) };
}

export function actAt(atMs: number, act: NonNullable<Step['act']>): Step {
  return { atMs, act };
}

/** Strings on the wire are UTF-8, as JSON is. */
export function bytesOf(part: string | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
}

export const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
/** The last chunk. */
export const END = '0\r\n\r\n';
export const DONE = 'data: [DONE]\n\n';

/** A response head with these field lines in this order. */
export function head(status: string, ...lines: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** One chunk of the chunked coding. */
export function c(payload: string | Buffer): Buffer {
  const bytes = bytesOf(payload);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** An SSE event with this JSON value. */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chat chunk with this delta in its first choice. */
export function delta(fields: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  return event({ choices: [{ index: 0, delta: fields }], ...more });
}

/** A chat chunk with text. */
export function D(text: string): string {
  return delta({ content: text });
}

/** A chunk of the older completions dialect with text. */
export function T(text: string, more: Record<string, unknown> = {}): string {
  return event({ choices: [{ index: 0, text }], ...more });
}

/** The chat chunk that says why its choice ended. */
export const FINISH = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

export interface RequestParts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: '1.0' | '1.1';
  /** Field lines after `host`; `content-length` is added when there is a body. */
  readonly lines?: readonly string[];
  readonly body?: string | Buffer;
}

/** The bytes of a request; without arguments it is a plain streamed chat completion. */
export function requestOf(parts: RequestParts = {}): Buffer {
  const body = bytesOf(parts.body ?? '');
  const lines = ['host: engine.test', ...(parts.lines ?? [])];
  if (body.length > 0) lines.push(`content-length: ${body.length}`);
  const start = `${parts.method ?? 'GET'} ${parts.target ?? '/'} HTTP/${parts.version ?? '1.1'}`;
  return Buffer.concat([Buffer.from(`${[start, ...lines].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

export interface ChatParts {
  readonly model?: string;
  readonly target?: string;
  readonly version?: '1.0' | '1.1';
  readonly lines?: readonly string[];
  /** Whole body, when the usual one will not do. */
  readonly body?: string | Buffer;
}

export const CHAT_TARGET = '/v1/chat/completions';
export const COMPLETIONS_TARGET = '/v1/completions';

export function chatRequest(parts: ChatParts = {}): Buffer {
  return requestOf({
    method: 'POST',
    target: parts.target ?? CHAT_TARGET,
    version: parts.version ?? '1.1',
    lines: ['content-type: application/json', ...(parts.lines ?? [])],
    body: parts.body ?? JSON.stringify({ model: parts.model ?? 'm', stream: true }),
  });
}
