// Goal: the page says how its connection stands in sentences, tells a screen reader of it and of stalls rarely enough
// to be listened to, reads its address, and makes no more rows than are in sight. Method: pure parts, one by one.
import { describe, expect, test } from 'vitest';
import { startModel } from '../../../src/telemetry/live/model.ts';
import type { Snapshot } from '../../../src/page/feed/live-feed.ts';
import { classNamesOf } from '../../../src/page/shell/class-names.ts';
import { linkSays } from '../../../src/page/shell/link-words.ts';
import { streamOfHash } from '../../../src/page/shell/route.ts';
import { NOTHING_TOLD, tellNext, type Told } from '../../../src/page/shell/tell.ts';
import { webHref } from '../../../src/page/shell/web-href.ts';
import { firstRequest } from '../../../src/page/shell/welcome-words.ts';
import { windowOf } from '../../../src/page/views/virtual-list.ts';
import { liveBeat, liveHello, liveOpen, NOW_EPOCH_MS } from '../../support/live-events.ts';

describe('the connection in words', () => {
  test('is silent while all is well', () => {
    expect(linkSays({ word: 'live', sinceEpochMs: 1 }, true, 2)).toEqual({ word: 'live', tone: 'good' });
  });

  test('says of a lost one when it is tried again, and that what is seen is old only if there is any', () => {
    const link = { word: 'lost', sinceEpochMs: 1_000, retryAtEpochMs: 5_000 } as const;
    expect(linkSays(link, true, 2_500).sentence).toContain('again in 3 s');
    expect(linkSays(link, true, 2_500).sentence).toContain('the last that was known');
    expect(linkSays(link, false, 6_000).sentence).toContain('again now');
    expect(linkSays(link, false, 6_000).sentence).not.toContain('the last that was known');
    expect(linkSays(link, false, 6_000).canRetry).toBe(true);
  });
});

describe('the classes to choose from', () => {
  const { state, open } = startModel(liveHello('p1', liveBeat(0, { open: [liveOpen('a', { class: 'night' })] })));

  test('are those that there are, once each and in order', () => {
    const names = [...state.classes.map((each) => each.class), 'night'];
    expect(classNamesOf({ state, open }, undefined)).toEqual([...new Set(names)].toSorted());
  });

  test('keep the one that was chosen and that nobody knows any more', () => {
    expect(classNamesOf({ state, open }, 'gone')).toEqual(
      [...classNamesOf({ state, open }, undefined), 'gone'].toSorted(),
    );
    expect(classNamesOf({ state, open }, 'night')).toEqual(classNamesOf({ state, open }, undefined));
  });
});

describe('a screen reader', () => {
  const stall = (endedAtEpochMs: number, gapMs: number) => ({ endedAtEpochMs, gapMs, cause: 'host' as const });
  const snapshot = (word: Snapshot['link']['word'], ...stalls: ReturnType<typeof stall>[]): Snapshot => ({
    link: { word, sinceEpochMs: 0 },
    model: startModel(liveHello('p1', liveBeat(0, { open: [liveOpen('a', { stalls, stallCount: stalls.length })] }))),
  });
  const told: Told = { ...NOTHING_TOLD, linkWord: 'live', stallsUntilEpochMs: NOW_EPOCH_MS };

  test('is not told of stalls that were there before it listened', () => {
    const first = tellNext(NOTHING_TOLD, snapshot('live', stall(NOW_EPOCH_MS - 9, 300)), 100_000);
    expect(first.text).toBe('The page is live.');
    expect(tellNext(first, snapshot('live', stall(NOW_EPOCH_MS - 9, 300)), 200_000)).toBe(first);
  });

  test('is told of new stalls together, by the longest, and of each once', () => {
    const now = snapshot('live', stall(NOW_EPOCH_MS + 1, 300), stall(NOW_EPOCH_MS + 2, 500));
    const next = tellNext(told, now, 100_000);
    expect(next.text).toBe('2 new stalls, the longest of 500\u202fms, host.');
    expect(tellNext(next, now, 200_000)).toBe(next);
    const one = tellNext(told, snapshot('live', stall(NOW_EPOCH_MS + 1, 300)), 100_000);
    expect(one.text).toBe('A new stall of 300\u202fms, host.');
  });

  test('is told nothing for some seconds after it was told something', () => {
    const next = tellNext(told, snapshot('lost'), 100_000);
    expect(next.text).toContain('does not answer');
    const newer = snapshot('live', stall(NOW_EPOCH_MS + 1, 300));
    expect(tellNext(next, newer, 104_999)).toBe(next);
    expect(tellNext(next, newer, 105_000).text).toBe('The page is live. A new stall of 300\u202fms, host.');
  });
});

describe('the address', () => {
  test('names the exchange that is open, and no other part of it does', () => {
    expect(streamOfHash('#/stream/0.a-1f')).toBe('0.a-1f');
    expect(streamOfHash('#/stream/a%2Fb')).toBe('a/b');
    for (const hash of ['', '#streams', '#/stream/', '#/stream/a/b', '#/stream/%E0%A4%A']) {
      expect(streamOfHash(hash)).toBeUndefined();
    }
  });
});

describe('a link from the configuration', () => {
  test('is one only if it leads to a web page', () => {
    expect(webHref('https://grafana.example/d/rubato')).toBe('https://grafana.example/d/rubato');
    for (const text of ['javascript:alert(1)', ' https://x', 'data:text/html,x', '', undefined]) {
      expect(webHref(text)).toBeUndefined();
    }
  });
});

describe('the first request', () => {
  test('goes to where rubato listens, and to where the page came from if that is everywhere', () => {
    const line = (host: string, isTls = false): string => firstRequest({ host, port: 8443, isTls }, 'pod.example');
    expect(line('127.0.0.1')).toContain('curl -N http://127.0.0.1:8443/v1/');
    expect(line('0.0.0.0', true)).toContain('curl -N https://pod.example:8443/v1/');
    expect(line('::')).toContain('http://pod.example:8443/');
    expect(line('::1')).toContain('http://[::1]:8443/');
    expect(firstRequest(undefined, '[::1]')).toContain('http://[::1]:8080/');
  });
});

describe('the rows in sight', () => {
  test('are those and a few around them, within the list', () => {
    expect(windowOf(0, 400, 40, 500)).toEqual({ fromRow: 0, toRow: 16 });
    expect(windowOf(4_000, 400, 40, 500)).toEqual({ fromRow: 94, toRow: 116 });
    expect(windowOf(19_600, 400, 40, 500)).toEqual({ fromRow: 478, toRow: 500 });
    expect(windowOf(0, 400, 40, 3)).toEqual({ fromRow: 0, toRow: 3 });
  });

  test('are the last ones of a list that became shorter than it is scrolled', () => {
    const { fromRow, toRow } = windowOf(19_600, 400, 40, 50);
    expect(toRow).toBe(50);
    expect(fromRow).toBeLessThanOrEqual(40);
  });
});
