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
  const fields: Record<string, string> = {
    ...FIELDS,
    ...answer.fields,
    'content-length': `${answer.body.length}`,
    connection: keepAlive ? 'keep-alive' : 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
}
