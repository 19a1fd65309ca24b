// Which fields pass. Hop-by-hop fields (RFC 9110 §7.6.1) stop here in both directions; all others
// keep their name, case, order and number.
import { fieldList, fieldValue, listMembers } from '../base/fields.ts';

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'http2-settings',
]);

/** Fields that a `Connection` field may not take away: they decide who is asked for what. */
const NOMINATION_IGNORED = new Set(['host', 'content-length', 'authorization', 'cookie', 'content-type']);

const NOTHING: ReadonlySet<string> = new Set();

/** What passes of a message's fields; `drop` names further (lower-case) fields that stop here. */
export function passFields(fields: readonly string[], drop = NOTHING): string[] {
  const nominated = listMembers(fieldList(fields, 'connection'));
  const passed: string[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase();
    if (HOP_BY_HOP.has(name) || drop.has(name)) continue;
    if (nominated.length > 0 && nominated.includes(name) && !NOMINATION_IGNORED.has(name)) continue;
    passed.push(fields[i] as string, fields[i + 1] as string);
  }
  return passed;
}

/** Fields that frame or route a message and so may not follow it (RFC 9110 §6.5.1). */
const NOT_IN_TRAILERS: ReadonlySet<string> = new Set(['content-length', 'host', 'trailer']);

/** What passes of the trailers of a message. */
export function passTrailers(fields: readonly string[]): string[] {
  return passFields(fields, NOT_IN_TRAILERS);
}

/** Fields as they stand in a head, each with the end of its line. */
export function fieldLines(fields: readonly string[]): string {
  let text = '';
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i] as string}: ${fields[i + 1] as string}\r\n`;
  return text;
}

/**
 * True when a protocol upgrade is asked for that we pass on. A request with a body is none: what follows
 * its head is no WebSocket yet, and a server may ignore the field (RFC 9110 §7.8).
 */
export function asksForWebSocket(fields: readonly string[]): boolean {
  return (
    (fieldValue(fields, 'content-length') ?? '0') === '0' &&
    fieldValue(fields, 'transfer-encoding') === undefined &&
    listMembers(fieldList(fields, 'upgrade')).includes('websocket') &&
    listMembers(fieldList(fields, 'connection')).includes('upgrade')
  );
}
