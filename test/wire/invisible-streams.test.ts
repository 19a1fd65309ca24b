// Goal: whatever the engine sends and however the network cuts it, the client has the same bytes.
// Method: random bodies, framings and cuts from a printed seed (set RUBATO_TEST_SEED to repeat one);
// status line, length and hash are compared, and the record must have counted every byte.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { integerBetween, seededRandom, type Random } from '../../src/client/random.ts';
import { useBench } from '../support/bench.ts';
import { expectExact, sha256 } from '../support/exact.ts';
import type { EngineExchange } from '../support/raw-engine.ts';
import { c, CHAT_TARGET, D, DONE, END, HEAD, head, requestOf, T } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();
const SEED = Number(process.env['RUBATO_TEST_SEED'] ?? 20_261_129);
const MIB = 1024 * 1024;
const BODY_KINDS = ['chat', 'completions', 'binary', 'gzip', 'empty', 'json'] as const;
const FRAMINGS = ['chunked', 'length', 'close'] as const;

interface Answer {
  readonly wire: Buffer;
  readonly closes: boolean;
}

function bodyOf(kind: (typeof BODY_KINDS)[number], random: Random): { type: string; body: Buffer; extra: string[] } {
  const count = integerBetween(random, 1, 40);
  const words = Array.from({ length: count }, () => '渐x🌍é'.repeat(integerBetween(random, 0, 6)));
  switch (kind) {
    case 'chat':
      return { type: 'text/event-stream; charset=utf-8', body: Buffer.from(words.map(D).join('') + DONE), extra: [] };
    case 'completions':
      return {
        type: 'text/event-stream',
        body: Buffer.from(
          words
            .map((word) => T(word))
            .join('')
            .replaceAll('\n', '\r\n'),
        ),
        extra: [],
      };
    case 'binary':
      return { type: 'application/octet-stream', body: randomBytes(integerBetween(random, 1, 100_000)), extra: [] };
    case 'gzip':
      return { type: 'text/event-stream', body: gzipSync(words.map(D).join('')), extra: ['content-encoding: gzip'] };
    case 'empty':
      return { type: 'text/event-stream', body: Buffer.alloc(0), extra: [] };
    case 'json':
      return { type: 'application/json', body: Buffer.from(JSON.stringify({ choices: [], words })), extra: [] };
  }
}

/** One random answer as it stands on the wire. */
function answerOf(random: Random): Answer {
  const kind = BODY_KINDS[integerBetween(random, 0, BODY_KINDS.length - 1)] ?? 'chat';
  const framing = FRAMINGS[integerBetween(random, 0, FRAMINGS.length - 1)] ?? 'chunked';
  const { type, body, extra } = bodyOf(kind, random);
  const lines = [`Content-Type: ${type}`, ...extra];
  if (framing === 'close') return { wire: Buffer.concat([Buffer.from(head('200 OK', ...lines)), body]), closes: true };
  if (framing === 'length') {
    const top = head('200 OK', ...lines, `Content-Length: ${body.length}`);
    return { wire: Buffer.concat([Buffer.from(top), body]), closes: false };
  }
  const pieces: Buffer[] = [Buffer.from(head('200 OK', ...lines, 'Transfer-Encoding: chunked'))];
  for (let from = 0; from < body.length;) {
    const to = Math.min(body.length, from + integerBetween(random, 1, 400));
    const chunk = c(body.subarray(from, to));
    // Chunk extensions are legal; nobody may choke on them or pass them as body.
    pieces.push(
      random() < 0.1 ? Buffer.from(chunk.toString('latin1').replace('\r\n', ' ;a="b"\r\n'), 'latin1') : chunk,
    );
    from = to;
  }
  return { wire: Buffer.concat([...pieces, Buffer.from(END)]), closes: false };
}

async function playCut(exchange: EngineExchange, { wire, closes }: Answer, random: Random): Promise<void> {
  const most = integerBetween(random, 1, 3) === 1 ? 40 : 4_000;
  for (let from = 0; from < wire.length;) {
    const to = Math.min(wire.length, from + integerBetween(random, 1, most));
    await exchange.write(wire.subarray(from, to));
    if (random() < 0.3) await sleep(integerBetween(random, 0, 3));
    from = to;
  }
  if (closes) exchange.fin();
}

describe(`random streams, seed ${SEED}`, () => {
  test('100 streams cut at random offsets arrive byte for byte', async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 10; round += 1) {
      const streams = Array.from({ length: 10 }, async (_, index) => {
        const answer = answerOf(random);
        const version = random() < 0.2 ? '1.0' : '1.1';
        const own = seededRandom(SEED + round * 10 + index);
        const run = await bench.run({ version, script: (exchange) => playCut(exchange, answer, own) });
        expectExact(run);
        const { record } = await bench.recordOf(run);
        expect(record.response.receivedBytes).toBe(run.exchange.answer?.bodyBytes);
        expect(record.response.deliveredBytes).toBe(run.exchange.answer?.bodyBytes);
      });
      await Promise.all(streams);
    }
  });

  test('random request bodies arrive byte for byte, whatever their framing and cuts', async () => {
    const random = seededRandom(SEED + 1);
    for (let round = 0; round < 20; round += 1) {
      const body = randomBytes(integerBetween(random, 1, 60_000));
      const chunked = random() < 0.5;
      const plan = bench.engine.plan(async (exchange) => {
        await exchange.untilRequestEnd();
        await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
      });
      const framing = chunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
      const client = await bench.client();
      client.request(
        requestOf({ method: 'POST', target: CHAT_TARGET, lines: ['content-type: application/json', framing] }),
      );
      for (let from = 0; from < body.length;) {
        const to = Math.min(body.length, from + integerBetween(random, 1, 8_000));
        await client.send(chunked ? c(body.subarray(from, to)) : body.subarray(from, to));
        from = to;
      }
      if (chunked) await client.send(END);
      expect((await client.response()).status).toBe(200);
      expect((await plan.exchange).request.sha256).toBe(sha256(body));
    }
  });
});

describe('large bodies', () => {
  const block = randomBytes(256 * 1024);

  test('128 MiB down arrive whole, without ever being collected', async () => {
    const before = bench.sidecar.rssBytes();
    const run = await bench.run({
      script: async (exchange) => {
        await exchange.write(head('200 OK', 'content-type: application/octet-stream', `content-length: ${128 * MIB}`));
        for (let sent = 0; sent < 128 * MIB; sent += block.length) await exchange.write(block);
      },
    });
    expectExact(run);
    expect(run.response.bodyBytes).toBe(128 * MIB);
    expect(bench.sidecar.rssBytes() - before).toBeLessThan(96 * MIB);
  });

  test('64 MiB of events down arrive whole', async () => {
    const event = Buffer.from(D('x'.repeat(60_000)));
    const run = await bench.run({
      script: async (exchange) => {
        await exchange.write(HEAD);
        for (let sent = 0; sent < 64 * MIB; sent += event.length) await exchange.write(c(event));
        await exchange.write(c(DONE), END);
      },
    });
    expectExact(run);
    const { record } = await bench.recordOf(run);
    expect(record.response.receivedBytes).toBe(run.response.bodyBytes);
    expect(record.end.wire).toBe('complete');
  });

  test('K2 32 MiB up arrive whole, and the first bytes before the last are sent', async () => {
    let seenBeforeEnd = 0;
    const plan = bench.engine.plan(async (exchange) => {
      await exchange.untilRequestEnd(60_000);
      await exchange.write(head('200 OK', 'content-length: 2'), 'ok');
    });
    const client = await bench.client();
    const lines = ['content-type: application/json', `content-length: ${32 * MIB}`];
    client.request(requestOf({ method: 'POST', target: CHAT_TARGET, lines }));
    const whole: Buffer[] = [];
    for (let sent = 0; sent < 32 * MIB; sent += block.length) {
      if (sent + block.length === 32 * MIB) {
        const { request } = await plan.exchange;
        await bench.engine.connections.at(-1)?.signal.until('first bytes upstream', () => request.bodyBytes > 0);
        seenBeforeEnd = request.bodyBytes;
      }
      await client.send(block);
      whole.push(block);
    }
    expect((await client.response(0, 60_000)).status).toBe(200);
    const { request } = await plan.exchange;
    expect(seenBeforeEnd).toBeGreaterThan(0);
    expect(request.bodyBytes).toBe(32 * MIB);
    expect(request.sha256).toBe(sha256(Buffer.concat(whole)));
  });
});
