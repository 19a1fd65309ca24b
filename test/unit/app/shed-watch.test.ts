// Goal: what is refused is counted by reason and said once, then in summaries, whatever comes how often.
// Method: reports with ends of all kinds, a counter of connections set by hand, a log that keeps its lines.
import { afterEach, expect, test, vi } from 'vitest';
import { ShedWatch } from '../../../src/app/shed-watch.ts';
import { SHED_LOG_EVERY_MS } from '../../../src/base/client-limits.ts';
import type { Log } from '../../../src/base/log.ts';
import type { Report } from '../../../src/judge/report.ts';

/** Of each reason none. */
const NONE = { streams: 0, connections: 0, memory: 0, descriptors: 0, queue_full: 0, queue_age: 0 };

afterEach(() => {
  vi.useRealTimers();
});

function watch() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lines: unknown[] = [];
  const state = { overflowCount: 0 };
  const log = { warn: (_text: string, fields: unknown) => lines.push(fields) } as unknown as Log;
  const shed = new ShedWatch(log, () => state.overflowCount);
  const end = (outcome: string, reason?: string): void =>
    shed.sink.onReport?.({ record: { end: { outcome, reason } } } as unknown as Report, undefined);
  return { shed, lines, state, end };
}

test('all reasons begin at 0, and only refusals count', () => {
  const { shed, lines, end } = watch();
  end('ok');
  end('client_abort');
  expect(shed.counts()).toEqual(NONE);
  shed.close();
  expect(lines).toEqual([]);
});

test('a flood is one line at once and one a minute', () => {
  const { shed, lines, end } = watch();
  for (let i = 0; i < 1_000; i += 1) end('shed', 'streams');
  expect(lines).toEqual([{ ...NONE, refused_count: 1, streams: 1 }]);
  vi.advanceTimersByTime(SHED_LOG_EVERY_MS);
  expect(lines[1]).toEqual({ ...NONE, refused_count: 999, streams: 1_000 });
  vi.advanceTimersByTime(10 * SHED_LOG_EVERY_MS);
  expect(lines.length).toBe(2);
  shed.close();
});

test('connections that were closed unanswered count with those that got an answer, and are told as well', () => {
  const { shed, lines, state, end } = watch();
  end('shed', 'connections');
  state.overflowCount = 5;
  expect(shed.counts()).toEqual({ ...NONE, connections: 6 });
  shed.close();
  expect(lines.length).toBe(2);
});
