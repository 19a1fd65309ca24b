// The two silent promises of every streamed case: EXACT, the client has the engine's bytes; PROMPT,
// it has each of them at once. Promptness is judged one-sidedly against a direct run of the same
// script at the same time, so that a busy machine slows both.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Run } from './bench.ts';
import type { BodyMark } from './wire-parser.ts';

const NS_PER_MS = 1e6;
/** A run through the sidecar may take so much longer than the direct one … */
const PROMPT_EXTRA_MS = 20;
/** … or be so many times as long, whichever is more. */
const PROMPT_RATIO = 2;

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Same status line and same body, as the engine wrote them. */
export function expectExact(run: Run): void {
  const sent = run.exchange.answer;
  expect(run.response.head?.startLine).toBe(sent?.head?.startLine);
  expect(run.response.bodyBytes).toBe(sent?.bodyBytes);
  expect(run.response.sha256).toBe(sent?.sha256);
  expect(run.response.complete).toBe(true);
}

/** For the head and then each write with body bytes: from the engine's write to the client's read. */
export function deliveriesMs(run: Run): number[] {
  const sent = run.exchange.answer;
  if (sent?.head === undefined || run.response.head === undefined) throw new Error('there is no head to look at');
  const headMs = (run.response.head.atNs - sent.head.atNs) / NS_PER_MS;
  return [headMs, ...sent.marks.map((mark) => (readAtNs(run.response.marks, mark.bodyBytes) - mark.atNs) / NS_PER_MS)];
}

/** The read after which the client had so many body bytes. */
export function readAtNs(marks: readonly BodyMark[], bodyBytes: number): number {
  const mark = marks.find((each) => each.bodyBytes >= bodyBytes);
  if (mark === undefined) throw new Error(`the client never had ${bodyBytes} body bytes`);
  return mark.atNs;
}

/** Which deliveries through the sidecar were late against the direct run; none means PROMPT. */
export function lateDeliveries(direct: Run, via: Run): string[] {
  const slowestDirectMs = Math.max(...deliveriesMs(direct));
  const allowedMs = Math.max(slowestDirectMs * PROMPT_RATIO, slowestDirectMs + PROMPT_EXTRA_MS);
  return deliveriesMs(via).flatMap((ms, index) =>
    ms <= allowedMs
      ? []
      : [`${index === 0 ? 'head' : `write ${index}`}: ${ms.toFixed(1)} ms, allowed ${allowedMs.toFixed(1)} ms`],
  );
}
