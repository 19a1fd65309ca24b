// Whether, and how long, an engine's connection may serve another exchange (RFC 9112 §9.3).
import { fieldList, fieldValue, listMembers } from '../base/fields.ts';
import type { ResponseHead } from './response-head.ts';

/** What the head of an answer says of its connection; kept in its place, as a head is large and a stream is long. */
export interface KeepAlive {
  readonly keeps: boolean;
  readonly hintMs: number | undefined;
  readonly breaksItsWord: boolean;
}

export function keepAliveOf(head: ResponseHead): KeepAlive {
  return { keeps: keepsAlive(head), hintMs: keepAliveHintMs(head), breaksItsWord: breaksItsWord(head) };
}

/** False when the answer ended with its connection, or when its framing leaves a doubt where it ended. */
export function keepsAlive(head: ResponseHead): boolean {
  if (head.minorVersion === 0) return false;
  if (head.framing !== 'none' && head.framing !== 'length' && head.framing !== 'chunked') return false;
  return !listMembers(fieldList(head.fields, 'connection')).includes('close');
}

/** The engine's promise of how long it keeps an idle connection (`Keep-Alive: timeout=5`). */
export function keepAliveHintMs(head: ResponseHead): number | undefined {
  const match = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(fieldValue(head.fields, 'keep-alive') ?? '');
  return match === null ? undefined : Number(match[1]) * 1_000;
}

/** True of servers that are known to close behind a streamed answer though they promise not to. */
function breaksItsWord(head: ResponseHead): boolean {
  return /^llama\.cpp\b/i.test(fieldValue(head.fields, 'server') ?? '');
}
