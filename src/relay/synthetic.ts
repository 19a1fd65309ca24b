// The answers that rubato makes itself. The only place that does; each says so in `x-rubato-error`.
import type { Socket } from 'node:net';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { ErrorCode } from '../base/error-codes.ts';
import { closeGently } from './linger.ts';

/** The error body, in the shape that OpenAI clients read. Holds nothing from the wire. */
function bodyOf(code: ErrorCode, detail: string | undefined): string {
  const message = detail === undefined ? code.message : `${code.message} ${detail}`;
  return JSON.stringify({ error: { message, type: 'rubato_error', code: code.code, blame: code.blame } });
}

/** Answers in place of the engine. Returns false when the head is out already. */
export function respond(res: ServerResponse, code: ErrorCode, detail?: string): boolean {
  if (res.headersSent) return false;
  const body = bodyOf(code, detail);
  res.sendDate = true;
  // The reason is named because an engine's own, refused by Node, may still be set.
  res.writeHead(code.status, STATUS_CODES[code.status] ?? 'Error', [
    'content-type',
    'application/json',
    'content-length',
    String(Buffer.byteLength(body)),
    'x-rubato-error',
    code.code,
    ...(code.retryAfterSeconds === undefined ? [] : ['retry-after', String(code.retryAfterSeconds)]),
  ]);
  res.end(body);
  return true;
}

/** Answers on a socket whose request could not even be parsed, and closes it. */
export function respondRaw(socket: Socket, code: ErrorCode, detail?: string): void {
  const body = bodyOf(code, detail);
  const retryAfter = code.retryAfterSeconds === undefined ? '' : `retry-after: ${code.retryAfterSeconds}\r\n`;
  socket.write(
    `HTTP/1.1 ${code.status} ${STATUS_CODES[code.status] ?? 'Error'}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-rubato-error: ${code.code}\r\n${retryAfter}` +
      `connection: close\r\n\r\n${body}`,
  );
  closeGently(socket);
}
