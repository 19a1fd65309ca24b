// Answers of the admin port as bytes: the fields that every one carries, and errors as JSON. Pure.
import { STATUS_CODES } from 'node:http';
import type { AdminAnswer } from './admin-messages.ts';

/** Fields of every answer: nothing of it may be cached, guessed at, framed or read by other origins. */
const FIELDS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

const encoder = new TextEncoder();

export function textAnswer(status: number, fields: Readonly<Record<string, string>>, text: string): AdminAnswer {
  // An encoder's bytes have a memory of their own, which can be handed to another thread.
  return { status, fields, body: encoder.encode(text) };
}

export function jsonAnswer(status: number, value: unknown, fields: Readonly<Record<string, string>> = {}): AdminAnswer {
  return textAnswer(status, { ...fields, 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(value));
}

export interface ErrorBody {
  readonly error: string;
  readonly message: string;
}

export function errorAnswer(
  status: number,
  { error, message }: ErrorBody,
  fields: Readonly<Record<string, string>> = {},
): AdminAnswer {
  return jsonAnswer(status, { error, message }, fields);
}

/** The head of an answer. Its length is the body's, also when the body itself is not wanted (HEAD). */
export function responseHead(answer: AdminAnswer, keepAlive: boolean): Buffer {
  const connection = keepAlive ? 'keep-alive' : 'close';
  return headBytes(answer.status, { ...answer.fields, 'content-length': `${answer.body.length}`, connection });
}

/** The head of an answer that ends with its connection. */
export function streamHead(fields: Readonly<Record<string, string>>): Buffer {
  return headBytes(200, { ...fields, connection: 'close' });
}

function headBytes(status: number, own: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries({ ...FIELDS, ...own }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`, 'latin1');
}
