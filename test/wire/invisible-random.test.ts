// Goal: whatever a client and an engine say to each other, both get it as the other sent it: line, fields, body,
// trailers, and the way it ends (the wire half of T03 of the plan).
// Method: random exchanges from a printed seed (RUBATO_TEST_SEED repeats one, RUBATO_TEST_EXCHANGES sets how
// many), on new and on used connections. Fields may differ by the documented set only: those of one connection,
// those that `Connection` names, and what `trailer` and a length promise where they cannot be kept.
import { describe, expect, test } from 'vitest';
import { integerBetween, seededRandom, type Random } from '../../src/client/random.ts';
import { useBench } from '../support/bench.ts';
import { endToEnd } from '../support/fields.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, type EngineExchange } from '../support/raw-engine.ts';
import { sleep } from '../support/signal.ts';

const SEED = Number(process.env['RUBATO_TEST_SEED'] ?? 20_261_129);
const EXCHANGES_COUNT = Number(process.env['RUBATO_TEST_EXCHANGES'] ?? 5_000);
const WORKERS_COUNT = 12;
const bench = useBench({ args: ['--chunks', 'off'] });

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[integerBetween(random, 0, items.length - 1)] as Item;
const chance = (random: Random, percent: number): boolean => integerBetween(random, 1, 100) <= percent;

const METHODS = ['GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PROPFIND'];
const TARGETS = [
  '/',
  '/v1/chat/completions',
  '/a/../b',
  '//x',
  '/%2e%2e/',
  '/a?b=c&d=%00',
  '/;x=y',
  '/v1/models/a%2Fb',
  '/[v]|^`',
];
const STATUSES = [
  '200 OK',
  '200 ',
  '201 Created',
  '299 Odd Reason',
  '400 Bad Request',
  '404 Not Found',
  '429 Slow Down',
  '500 No',
  '503 Busy',
  '204 No Content',
  '304 Not Modified',
];
const NAMES = [
  'X-A',
  'x-a',
  'X-Mixed-Case',
  'accept',
  'Accept',
  'set-cookie',
  'Cookie',
  'x_under',
  'ETag',
  'server',
  'Date',
  'via',
  'x-request-id',
  'traceparent',
  'cache-control',
  '__proto__',
];
const VALUES = [
  '',
  'v',
  'a, b',
  'a,b',
  '"quoted, text"',
  'two  spaces',
  '\xe4\xf6\xff',
  'x'.repeat(300),
  'a;b=c',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  ':',
  '{}',
];
const CONNECTION_NAMES = ['x-hop', 'keep-alive', 'x-a'];

/** A message's fields: `sent` go out, `kept` must arrive. */
interface Fields {
  readonly sent: string[];
  readonly kept: string[];
}

function fieldsOf(random: Random): Fields {
  const sent = Array.from(
    { length: integerBetween(random, 0, 12) },
    () => `${pick(random, NAMES)}: ${pick(random, VALUES)}`,
  );
  const nominated: string[] = [];
  if (chance(random, 20)) {
    nominated.push(pick(random, CONNECTION_NAMES));
    sent.splice(integerBetween(random, 0, sent.length), 0, `Connection: ${nominated[0] ?? ''}`, 'x-hop: mine');
  }
  return { sent, kept: endToEnd(sent, nominated) };
}

interface Body {
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
  readonly bytes: Buffer;
  readonly trailers: readonly string[];
}

function bodyOf(random: Random, framings: readonly Body['framing'][]): Body {
  const framing = pick(random, framings);
  const size = pick(random, [0, 1, 2, 17, 255, 4_096, 20_000, 70_000]);
  const bytes =
    framing === 'none'
      ? Buffer.alloc(0)
      : Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + size) & 0xff));
  const trailers =
    framing === 'chunked' && chance(random, 30)
      ? ['x-sum: 1', 'X-Sum: two', 'x-t: a, b'].slice(0, integerBetween(random, 1, 3))
      : [];
  return { framing, bytes, trailers };
}

/** The body as it goes over the wire, in pieces that fall where they like. */
function piecesOf({ framing, bytes, trailers }: Body, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + integerBetween(random, 1, Math.max(1, bytes.length / 2)));
    const piece = bytes.subarray(at, end);
    pieces.push(
      framing === 'chunked'
        ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
        : piece,
    );
    at = end;
  }
  if (framing === 'chunked') pieces.push(Buffer.from(`0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`));
  return pieces;
}

function framingLines({ framing, bytes, trailers }: Body): string[] {
  if (framing === 'length') return [`content-length: ${bytes.length}`];
  if (framing === 'chunked') return ['transfer-encoding: chunked', ...(trailers.length > 0 ? ['trailer: x-sum'] : [])];
  return [];
}

function headOf(startLine: string, fields: readonly string[]): Buffer {
  return Buffer.from([startLine, ...fields].map((line) => `${line}\r\n`).join('') + '\r\n', 'latin1');
}

type End = 'whole' | 'fin' | 'rst';

interface Plan {
  readonly method: string;
  readonly target: string;
  readonly asked: Fields;
  readonly sent: Body;
  readonly status: string;
  readonly answered: Fields;
  readonly answer: Body;
  readonly end: End;
}

function planOf(random: Random): Plan {
  const method = pick(random, METHODS);
  const status = pick(random, STATUSES);
  const isBodyless = method === 'HEAD' || /^(204|304)/.test(status);
  const answer = bodyOf(random, isBodyless ? ['none'] : ['length', 'chunked', 'chunked', 'close']);
  const canBeCut = answer.framing === 'chunked' || (answer.framing === 'length' && answer.bytes.length > 1);
  return {
    method,
    target: pick(random, TARGETS),
    asked: fieldsOf(random),
    sent: bodyOf(random, ['POST', 'PUT', 'PATCH'].includes(method) ? ['length', 'chunked'] : ['none']),
    status,
    answered: fieldsOf(random),
    answer,
    end: canBeCut && chance(random, 15) ? pick(random, ['fin', 'rst'] as const) : 'whole',
  };
}

async function play({ status, answered, answer, end }: Plan, exchange: EngineExchange, random: Random): Promise<void> {
  await exchange.untilRequestEnd();
  if (chance(random, 10)) await exchange.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
  await exchange.write(headOf(`HTTP/1.1 ${status}`, [...answered.sent, ...framingLines(answer)]));
  const pieces = piecesOf(answer, random);
  if (end !== 'whole') pieces.pop();
  for (const piece of pieces) await exchange.write(piece);
  if (end === 'rst') {
    // What the sidecar has not read yet would go with the reset.
    await sleep(20);
    exchange.rst();
  } else if (end === 'fin' || answer.framing === 'close') exchange.fin();
}

/** One exchange; true when its connection can carry another. */
async function run(plan: Plan, random: Random, client: RawClient, index: number): Promise<boolean> {
  const script = bench.engine.plan((exchange) => play(plan, exchange, random));
  const { method, target, asked, sent, answer } = plan;
  const own = ['host: engine.test', `${PLAN_FIELD}: ${script.id}`];
  const framing = framingLines(sent);
  client.request(headOf(`${method} ${target} HTTP/1.1`, [...own, ...asked.sent, ...framing]));
  for (const piece of piecesOf(sent, random)) await client.send(piece);
  const [response, { request }] = await Promise.all([client.response(index, 20_000), script.exchange]);

  expect(request.head?.startLine).toBe(`${method} ${target} HTTP/1.1`);
  expect(endToEnd(request.head?.lines ?? [])).toEqual([...own, ...asked.kept, ...endToEnd(framing)]);
  expect(request.body.equals(sent.bytes)).toBe(true);
  expect(request.trailers).toEqual(sent.trailers);

  expect(response.head?.startLine).toBe(`HTTP/1.1 ${plan.status}`);
  const isFramed = answer.framing === 'length' || answer.framing === 'chunked';
  expect(endToEnd(response.head?.lines ?? [])).toEqual([
    ...plan.answered.kept,
    ...endToEnd(isFramed ? framingLines(answer) : []),
  ]);
  expect(response.complete).toBe(plan.end === 'whole');
  const cutBytes = answer.bytes.subarray(0, response.bodyBytes);
  expect(response.body.equals(plan.end === 'whole' ? answer.bytes : cutBytes)).toBe(true);
  if (plan.end === 'whole') expect(response.trailers).toEqual(answer.trailers);
  return plan.end === 'whole' && !client.gone;
}

describe(`${EXCHANGES_COUNT} random exchanges (seed ${SEED})`, () => {
  test('arrive at both ends as the other sent them', async () => {
    let next = 0;
    const work = async (): Promise<void> => {
      let client: RawClient | undefined;
      for (let number = next++, index = 0; number < EXCHANGES_COUNT; number = next++) {
        const random = seededRandom(SEED ^ Math.imul(number + 1, 0x9e3779b1));
        if (client === undefined) [client, index] = [await RawClient.open(bench.sidecar.listenPort), 0];
        const plan = planOf(random);
        try {
          const goesOn = (await run(plan, random, client, index)) && chance(random, 70);
          index += 1;
          if (goesOn) continue;
        } catch (error) {
          throw new Error(
            `exchange ${number} of seed ${SEED}: ${JSON.stringify({ ...plan, sent: plan.sent.framing, answer: plan.answer.framing })}`,
            { cause: error },
          );
        }
        client.close();
        client = undefined;
      }
      client?.close();
    };
    await Promise.all(Array.from({ length: WORKERS_COUNT }, work));
    const ends = new Set(
      (await bench.sidecar.untilRecords(EXCHANGES_COUNT, 20_000)).map(({ record }) => record.end.outcome),
    );
    expect([...ends].filter((end) => end === 'internal_error' || end === 'client_abort')).toEqual([]);
  }, 600_000);
});
