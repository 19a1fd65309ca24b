// Goal: each rule of one point says what its shape is, and nothing where the shape could be something else.
// Method: deliveries written by hand in ms and bytes, read by the parser that reads real answers.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/client/random.ts';
import { HOLD_WAYS } from '../../../../src/judge/delivery/verdict.ts';
import { deliveryLabels } from '../../../../src/judge/delivery/metric.ts';
import { judgeDelivery } from '../../../../src/judge/delivery/rules.ts';
import { curesFor } from '../../../../src/judge/hop/cures.ts';
import { HOP_PRODUCTS } from '../../../../src/record/hop-signs.ts';
import { recordOfDelivery } from '../../../support/delivery/record.ts';
import { play, type Write } from '../../../support/delivery/rhythms.ts';
import { type Arrival, bySize, byTimer, type Delivered } from '../../../support/delivery/ways.ts';
import { buildRecord, read, texts } from '../../../support/record-builder.ts';

const EVENT_BYTES = 235;

/** `count` text events every `stepMs`, `perStep` at a time. */
function steady(count: number, stepMs: number, perStep = 1): Write[] {
  return Array.from({ length: count }, (_, index) => {
    const filler = 'x'.repeat(EVENT_BYTES - 60 + (index % 7));
    const text = `data: {"id":"${filler}","choices":[{"delta":{"content":" a"}}]}\n\n`;
    return { atMs: 400 + Math.floor(index / perStep) * stepMs, text };
  });
}

const asWritten = (writes: readonly Write[]): Arrival[] =>
  writes.map(({ atMs, text }) => ({ atMs, bytes: Buffer.from(text) }));

function gathered(writes: readonly Write[], count: number): Arrival[] {
  return Array.from({ length: Math.ceil(writes.length / count) }, (_, index) => {
    const group = writes.slice(index * count, (index + 1) * count);
    return { atMs: group.at(-1)?.atMs ?? 0, bytes: Buffer.from(group.map(({ text }) => text).join('')) };
  });
}

function verdictOf(delivered: Delivered) {
  const verdict = judgeDelivery(recordOfDelivery(delivered));
  return verdict === undefined
    ? undefined
    : [verdict.word, ...(verdict.way === undefined ? [] : [verdict.way])].join(' ');
}

describe('held', () => {
  test('in buffers of 4 KiB that leave in the middle of an event', () => {
    const record = recordOfDelivery({ arrivals: bySize(steady(200, 20), 4096, false, 0) });
    expect(judgeDelivery(record)).toMatchObject({ word: 'holds', way: 'size', numbers: { blockBytes: 4096 } });
  });

  test('in buffers that hold the framing of chunks as well', () => {
    expect(verdictOf({ arrivals: bySize(steady(300, 10), 8192, true, 211) })).toBe('holds size');
  });

  test('by a timer of two seconds', () => {
    expect(verdictOf({ arrivals: byTimer(steady(500, 20), 2000, false) })).toBe('holds timer');
  });

  test('until the end, however slow the link brings it', () => {
    const bytes = Buffer.concat(steady(300, 20).map(({ text }) => Buffer.from(text)));
    const arrivals = [0, 14_480, 43_440].map((from, index, all) => ({
      atMs: 6400 + index * 20,
      bytes: bytes.subarray(from, all[index + 1]),
    }));
    expect(verdictOf({ arrivals })).toBe('holds until_end');
  });

  test('until the end by a compressor, which the content coding tells', async () => {
    const { gzipSync } = await import('node:zlib');
    const bytes = gzipSync(
      steady(200, 20)
        .map(({ text }) => text)
        .join(''),
    );
    expect(verdictOf({ arrivals: [{ atMs: 4400, bytes }], encoding: 'gzip' })).toBe('holds compression');
  });

  test('by a compressor that keeps the last bits: each event ends only with the next one', () => {
    const writes = steady(60, 20);
    const arrivals = writes.map(({ atMs, text }, index) => ({
      atMs,
      // Two bytes short of the event's end, and the two that the one before was short of.
      bytes: Buffer.from((index === 0 ? '' : '\n\n') + text.slice(0, -2)),
    }));
    const last = arrivals.at(-1)?.atMs ?? 0;
    const late = { arrivals: [...arrivals, { atMs: last + 20, bytes: Buffer.from('\n\n') }] };
    expect(verdictOf(late)).toBe('unsure');
    const record = recordOfDelivery(late);
    expect(judgeDelivery({ ...record, response: { ...record.response, encoding: 'gzip' } })).toMatchObject({
      word: 'holds',
      way: 'compression',
      signs: ['content_coding', 'ends_come_late'],
    });
  });

  test('a few large buffers that end inside an event, though their sizes differ a little', () => {
    const bytes = Buffer.concat(steady(120, 20).map(({ text }) => Buffer.from(text)));
    const cuts = [0, 6_001, 12_303, 18_204, 24_405];
    const arrivals = cuts.map((from, index) => ({
      atMs: 900 + index * 517,
      bytes: bytes.subarray(from, cuts[index + 1]),
    }));
    expect(verdictOf({ arrivals })).toBe('holds size');
  });

  test('a number of events at a time: a holder that lets go every 25', () => {
    const writes = play(seededRandom(7), { stepMs: 20, tokens: 200 });
    expect(verdictOf({ arrivals: gathered(writes, 25) })).toMatch(/^holds (rechunk|timer)$/);
  });
});

describe('not held', () => {
  test.each([
    ['one event a step', asWritten(steady(100, 20))],
    [
      'a single long stall',
      asWritten(steady(100, 20).map((write, index) => ({ ...write, atMs: write.atMs + (index > 50 ? 4000 : 0) }))),
    ],
    ['a lost packet: one burst after 200 ms', byTimerOnce(steady(100, 20), 1000, 200)],
  ])('%s passes', (_name, arrivals) => {
    expect(verdictOf({ arrivals })).toBe('passes');
  });

  test.each([
    ['speculative decoding, eight events a step', asWritten(steady(400, 40, 8))],
    ['eight events every 200 ms, which a slow draft would be as well', asWritten(steady(400, 200, 8))],
    ['a link slower than the engine, which brings full segments at its pace', segments(steady(300, 2), 1448, 30)],
    ['an answer that was there at once', gathered(steady(200, 0.01), 200)],
  ])('%s is not accused', (_name, arrivals) => {
    expect(verdictOf({ arrivals })).not.toContain('holds');
  });

  test('what gathers while the client takes nothing is the client’s', () => {
    const arrivals = byTimer(steady(400, 10), 500, false);
    const blockedMs = arrivals.flatMap(({ atMs }, index) => (index % 50 === 0 ? [atMs - 400, atMs] : []));
    expect(verdictOf({ arrivals })).toContain('holds');
    expect(verdictOf({ arrivals, blockedMs: [0, 5000] })).toBe('unsure');
    expect(verdictOf({ arrivals, blockedMs })).toBe('unsure');
  });

  test('what gathers while our own thread is late is ours', () => {
    const arrivals = byTimer(steady(400, 10), 500, false).map((arrival) => ({ ...arrival, errorBoundMs: 300 }));
    expect(verdictOf({ arrivals })).toBe('unsure');
  });

  test('parts of tool calls that a parser held say nothing of hops', () => {
    const reads = Array.from({ length: 8 }, (_, index) => read(500 + index * 500, Array<string>(40).fill('tool')));
    expect(judgeDelivery(buildRecord({ reads }))).toMatchObject({ word: 'unsure', signs: ['tool_calls'] });
  });

  test('eight choices side by side are eight events a step', () => {
    const reads = Array.from({ length: 40 }, (_, index) => read(500 + index * 100, Array<string>(16).fill('text')));
    expect(judgeDelivery(buildRecord({ reads, request: { choices: 16 }, answer: { choiceCount: 16 } }))?.word).toBe(
      'passes',
    );
  });

  test('a start that came as a lump is not cleared: a hop may have kept it, and so may a lost packet', () => {
    const arrivals = asWritten(steady(100, 20)).map((arrival) => ({ ...arrival, atMs: Math.max(arrival.atMs, 800) }));
    expect(judgeDelivery(recordOfDelivery({ arrivals }))).toMatchObject({ word: 'unsure', signs: ['start_together'] });
  });

  test('an answer of few events leaves it open', () => {
    expect(judgeDelivery(buildRecord({ reads: [read(900, Array<string>(11).fill('text'))] }))).toMatchObject({
      word: 'unsure',
      signs: ['few_events'],
      confidence: 0,
    });
  });

  test('a stream of which chunks were lost leaves it open', () => {
    const record = buildRecord({ reads: texts(500, 20, 100), doubts: ['tape_chunks'] });
    expect(judgeDelivery(record)).toMatchObject({ word: 'unsure', signs: ['not_all_seen'] });
  });
});

test('there is nothing to say of an answer without a stream of text', () => {
  expect(judgeDelivery(buildRecord({ reads: [read(10, 'usage done')] }))).toBeUndefined();
  expect(judgeDelivery(buildRecord({ reads: texts(1, 1, 50), answer: { streamed: false } }))).toBeUndefined();
  expect(judgeDelivery(buildRecord({ reads: texts(1, 1, 50), status: 500 }))).toBeUndefined();
});

test('a verdict without a way is counted under none', () => {
  expect(deliveryLabels({ word: 'passes', confidence: 1, signs: [], numbers: {} })).toEqual({
    verdict: 'passes',
    way: 'none',
  });
});

describe('cures', () => {
  test('every way has one, whatever was seen on the way', () => {
    for (const way of HOLD_WAYS) {
      expect(curesFor(way)).toHaveLength(1);
      for (const product of HOP_PRODUCTS)
        expect(curesFor(way, [product]).length, `${way} ${product}`).toBeGreaterThan(0);
    }
  });

  test('a product that was seen is named with its setting', () => {
    expect(curesFor('size', ['nginx', 'caddy'])).toEqual([
      expect.stringMatching(/^nginx: `proxy_buffering off;`/),
      expect.stringMatching(/^caddy: `flush_interval -1`/),
    ]);
    expect(curesFor('compression', ['nginx'])[0]).toContain('gzip_types');
  });
});

/** The body in segments of one size, one every so often. */
function segments(writes: readonly Write[], bytes: number, everyMs: number): Arrival[] {
  const body = Buffer.from(writes.map(({ text }) => text).join(''));
  return Array.from({ length: Math.ceil(body.length / bytes) }, (_, index) => ({
    atMs: 500 + index * everyMs,
    bytes: body.subarray(index * bytes, (index + 1) * bytes),
  }));
}

/** Everything between both moments arrives at the second. */
function byTimerOnce(writes: readonly Write[], fromMs: number, lengthMs: number): Arrival[] {
  return asWritten(writes).map((arrival) =>
    arrival.atMs > fromMs && arrival.atMs < fromMs + lengthMs ? { ...arrival, atMs: fromMs + lengthMs } : arrival,
  );
}
