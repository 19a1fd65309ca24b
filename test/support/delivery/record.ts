// A record of what was delivered, made by the parser and the logs that a real answer goes through.
import { AnswerLog } from '../../../src/client/probe/answer-log.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';
import type { Delivered } from './ways.ts';

const ms = (moment: number): number => Math.round(moment * 1e6);

export function recordOfDelivery(delivered: Delivered): StreamRecord {
  const { arrivals, encoding, lengthBytes, headWithBody, headAtMs = 3, blockedMs = [] } = delivered;
  const log = new AnswerLog({
    id: '0-1',
    openedAtEpochMs: 1_796_000_000_000,
    request: { method: 'POST', path: '/v1/chat/completions', bodyBytes: 100, stream: true },
  });
  Object.assign(log.marks, { uploadEndAtNs: 0, requestSentAtNs: ms(1) });
  const fields = [
    'content-type',
    'text/event-stream',
    ...(encoding === undefined ? [] : ['content-encoding', encoding]),
  ];
  const headAtNs = ms(headWithBody === undefined ? headAtMs : (arrivals[0]?.atMs ?? 0));
  log.onHead(headAtNs, { status: 200, framing: lengthBytes === undefined ? 'chunked' : 'length', fields });
  for (const { atMs, bytes, errorBoundMs = 0 } of arrivals) {
    log.onRead({ atNs: ms(atMs), errorBoundNs: ms(errorBoundMs), pieces: [bytes] });
  }
  const record = log.end({ atNs: ms((arrivals.at(-1)?.atMs ?? 0) + 0.1), wire: 'complete' });
  const hopSigns = lengthBytes === undefined ? {} : { hopSigns: { lengthBytes } };
  return { ...record, response: { ...record.response, ...hopSigns }, blockedNs: blockedMs.map(ms) };
}
