// Goal: bodies made to hurt whoever reads them (T24) pass unchanged, do not hold up a stream beside them, cost
// bounded memory, and leave the reading of the next stream as it was.
// Method: each flood between two looks at the resident memory, with a well-behaved stream under way at the same
// time; then a plain one whose record must be right.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { useBench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, head, HEAD } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';
import { poll, sleep } from '../support/signal.ts';

const MIB = 1024 * 1024;
const WRITE_BYTES = 64 * 1024;
/** The tape, buffers of reads and what V8 does not give back at once; the floods hold up to a hundred MiB. */
const RSS_GROWTH_MAX_BYTES = 96 * MIB;
const PIECE_EVERY_MS = 20;
/** A piece of the stream beside the flood is with its client within this, on a machine that is busy as well. */
const PIECE_LATE_MAX_MS = 1_500;

const bench = useBench();

function bytesOfRepeated(text: string, count: number): Buffer {
  return Buffer.from(text.repeat(count));
}

/** A stream beside the flood: a piece now and then until it is stopped; resolves with how late the latest was. */
async function playBeside(isOver: () => boolean): Promise<number> {
  const plan = bench.engine.plan([]);
  const client = await RawClient.open(bench.sidecar.listenPort);
  client.request(chatRequest({ model: 'beside', lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const exchange = await plan.exchange;
  await exchange.write(HEAD);
  let worstMs = 0;
  let bytes = 0;
  while (!isOver()) {
    const beganAtMs = performance.now();
    await exchange.write(c(D('p')));
    bytes += D('p').length;
    await client.bodyBytes(bytes, 0, 30_000);
    worstMs = Math.max(worstMs, performance.now() - beganAtMs);
    await sleep(PIECE_EVERY_MS);
  }
  await exchange.write(c(FINISH + DONE), END);
  expect((await client.response()).complete).toBe(true);
  client.close();
  return worstMs;
}

/** Its line is only read once it is there: with 262,144 events it is long. */
async function recordOf(model: string): Promise<StreamRecord> {
  const { recordFile } = bench.sidecar;
  // The file appears with its first line, and the last line may be half written.
  const find = (): string | undefined =>
    (existsSync(recordFile) ? readFileSync(recordFile, 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .findLast((line) => line.includes(`"model":${JSON.stringify(model)}`));
  const line = await poll(`a record of ${model}`, find, 30_000, 250);
  return (JSON.parse(line) as RecordEntry).record;
}

/** Sends the body through the sidecar and gives its record; the client must get every byte of it. */
async function flood(model: string, body: Buffer, lines: readonly string[] = []) {
  let over = false;
  const beside = playBeside(() => over);
  const plan = bench.engine.plan(async (exchange) => {
    const fields = ['content-type: text/event-stream', 'transfer-encoding: chunked', ...lines];
    await exchange.write(head('200 OK', ...fields));
    for (let from = 0; from < body.length; from += WRITE_BYTES) {
      await exchange.write(c(body.subarray(from, from + WRITE_BYTES)));
    }
    await exchange.write(END);
  });
  const client = await RawClient.open(bench.sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response(0, 60_000);
  client.close();
  expect(response.complete).toBe(true);
  expect(createHash('sha256').update(response.body).digest('hex')).toBe(
    createHash('sha256').update(body).digest('hex'),
  );
  over = true;
  expect(await beside).toBeLessThan(PIECE_LATE_MAX_MS);
  const record = await recordOf(model);
  expect(record.response.deliveredBytes).toBe(body.length);
  return record;
}

let plainCount = 0;

async function expectUnharmed(): Promise<void> {
  plainCount += 1;
  const model = `plain-${plainCount}`;
  const plan = bench.engine.plan([at(0, HEAD, c(D('a'))), at(20, c(D('b') + FINISH + DONE), END)]);
  const client = await RawClient.open(bench.sidecar.listenPort);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  expect((await client.response()).complete).toBe(true);
  client.close();
  const { answer, end, doubts } = await recordOf(model);
  expect(answer.eventCounts).toEqual({ content: 2, finish: 1, done: 1 });
  // A machine that is busy makes stamps late, and says so.
  expect([end.outcome, doubts.filter((doubt) => doubt !== 'loop_lag')]).toEqual(['ok', []]);
  expect(bench.sidecar.fault).toBeUndefined();
}

const deep = (count: number): string => '['.repeat(count) + ']'.repeat(count);

const FLOODS: readonly (readonly [name: string, body: () => Buffer])[] = [
  ['a million empty events', () => bytesOfRepeated('data:\n\n', 1_000_000)],
  ['a million comments', () => bytesOfRepeated(':\n\n', 1_000_000)],
  ['a million blank lines', () => bytesOfRepeated('\n', 1_000_000)],
  ['two hundred thousand tokens of one character', () => bytesOfRepeated(D('a'), 200_000)],
  ['a million tiny JSON values', () => bytesOfRepeated('data: 1\n\n', 1_000_000)],
  ['one event of 10 MiB', () => Buffer.from(D('x'.repeat(10 * MIB)))],
  ['ten events of just below 1 MiB', () => bytesOfRepeated(D('x'.repeat(MIB - 200)), 10)],
  ['JSON 100,000 deep', () => Buffer.from(`data: {"choices":${deep(100_000)}}\n\n`)],
  ['objects 50,000 deep', () => Buffer.from(`data: ${'{"usage":'.repeat(50_000)}1${'}'.repeat(50_000)}\n\n`)],
  [
    'an event with 100,000 keys',
    () => Buffer.from(`data: {${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(',')}}\n\n`),
  ],
  [
    '10,000 choices in one event',
    () =>
      Buffer.from(
        `data: ${JSON.stringify({ choices: Array.from({ length: 10_000 }, (_, index) => ({ index, delta: { content: 'x' } })) })}\n\n`,
      ),
  ],
  [
    '__proto__ and its like',
    () =>
      bytesOfRepeated(
        'data: {"__proto__":{"choices":[{"delta":{"content":"x"}}],"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}\n\n',
        1_000,
      ),
  ],
];

/** What swells to a hundred MiB; level and window as an attacker would choose them. */
const SWOLLEN = (): Buffer => Buffer.concat([Buffer.from(D('a')), Buffer.alloc(100 * MIB, 'data: x\n\n')]);
const BOMBS: readonly (readonly [coding: string, pack: (body: Buffer) => Buffer])[] = [
  ['gzip', (body) => gzipSync(body, { level: 9 })],
  ['br', (body) => brotliCompressSync(body)],
  ['zstd', (body) => zstdCompressSync(body)],
];

// The pages of the tape, the heap and the lists of what was last are had once.
beforeAll(async () => {
  await flood('warm-up', bytesOfRepeated(D('a'), 200_000));
}, 60_000);

describe('T24', () => {
  test.each(FLOODS)(
    '%s',
    async (name, body) => {
      const before = bench.sidecar.rssBytes();
      await flood(name, body());
      expect(bench.sidecar.rssBytes() - before).toBeLessThan(RSS_GROWTH_MAX_BYTES);
      await expectUnharmed();
    },
    90_000,
  );

  test.each(BOMBS)(
    'a bomb of %s',
    async (coding, pack) => {
      const bytes = pack(SWOLLEN());
      const before = bench.sidecar.rssBytes();
      const record = await flood(`bomb of ${coding}`, bytes, [`content-encoding: ${coding}`]);
      expect([record.answer.unreadable, record.doubts.includes('unreadable')]).toEqual(['bomb', true]);
      expect(bench.sidecar.rssBytes() - before).toBeLessThan(RSS_GROWTH_MAX_BYTES);
      await expectUnharmed();
    },
    90_000,
  );
});
