// Scripts of the reference engine: exact bytes at stated moments. Method: our own client beside it in one
// process; every bound on time is one-sided.
import { describe, expect, test } from 'vitest';
import { nowNs } from '../../../src/base/clock.ts';
import { ask, MS, start, textOf, truthOf, until } from './engine-harness.ts';

describe('a script', () => {
  const SCRIPT = {
    headers: { 'content-type': 'application/octet-stream', 'x-note': ['one', 'two'] },
    headAtMs: 5,
    writes: [
      { atMs: 20, bytes: 'first' },
      { atMs: 60, bytes: Uint8Array.of(0, 255) },
    ],
    endAtMs: 80,
  };

  test('is played byte by byte by its moments from the request on, chosen by header or by model', async () => {
    const { url } = await start({ scripts: { exact: SCRIPT } });
    const answers = [
      await ask(url, 'a', { headers: { 'x-reference-script': 'exact' } }),
      await ask(url, 'b', { fields: { model: 'script:exact' } }),
    ];
    for (const [index, answer] of answers.entries()) {
      const truth = truthOf(index === 0 ? 'a' : 'b');
      expect(truth.kind).toBe('script');
      expect(Buffer.concat(answer.reads.map((read) => read.bytes))).toEqual(Buffer.from('first\0\xff', 'latin1'));
      expect(answer.head?.rawHeaders.filter((name) => name === 'x-note')).toHaveLength(2);
      expect(truth.writes.dueAtNs.map((atNs) => atNs - truth.arrivedAtNs)).toEqual([20 * MS, 60 * MS]);
      expect(truth.headAtNs).toBeGreaterThanOrEqual(truth.arrivedAtNs + 5 * MS);
      expect(truth.endAtNs).toBeGreaterThanOrEqual(truth.arrivedAtNs + 80 * MS);
      expect(answer.reads[0]!.atNs).toBeGreaterThanOrEqual(truth.arrivedAtNs + 20 * MS);
    }
  });

  test('keeps the order of steps that are due at once, or late because the process was busy', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `${index} `);
    const writes = words.map((bytes, index) => ({ atMs: 10 + Math.floor(index / 4), bytes }));
    const { url } = await start({ scripts: { dense: { writes } } });
    const busy = setInterval(() => {
      const untilNs = nowNs() + 4 * MS;
      while (nowNs() < untilNs);
    }, 3);
    const answer = await ask(url, 'a', { headers: { 'x-reference-script': 'dense' } });
    clearInterval(busy);
    expect(answer.end).toBe('complete');
    expect(Buffer.concat(answer.reads.map((read) => read.bytes)).toString()).toBe(words.join(''));
  });

  test('that is played now answers whatever is asked', async () => {
    const { url } = await start({ scripts: { exact: SCRIPT }, scriptNow: () => 'exact' });
    const answer = await ask(url, 'a', { fields: { model: 'a model nobody has' } });
    expect(answer.status).toBe(200);
    expect(truthOf('a').kind).toBe('script');
  });

  test('can cut the connection in the middle', async () => {
    const cut = { writes: [{ atMs: 0, bytes: 'data: half' }], endAtMs: 20, ending: 'cut' as const };
    const { url } = await start({ scripts: { cut } });
    const answer = await ask(url, 'a', { headers: { 'x-reference-script': 'cut' } });
    expect(answer).toMatchObject({ end: 'cut', status: 200, error: 'ECONNRESET' });
    expect(textOf(answer)).toBe('data: half');
    expect(truthOf('a').end).toBe('cut');
  });

  test('stops when the client leaves', async () => {
    const writes = [0, 30, 60].map((atMs) => ({ atMs, bytes: 'x' }));
    const { url } = await start({ scripts: { three: { writes } } });
    await ask(url, 'a', { headers: { 'x-reference-script': 'three' }, onRead: () => 'leave' });
    await until(() => truthOf('a').end === 'aborted');
    const { arrivedAtNs } = truthOf('a');
    await until(() => nowNs() > arrivedAtNs + 70 * MS);
    expect(truthOf('a').writes.bytes).toHaveLength(1);
  });
});
