// Goal: whatever an engine sends, the sidecar lives, the client of that answer sees a good answer, an error or a
// cut and never waits without end, and the next client has its own answer (T08 of the plan).
// Method: a named corpus with what a client must see of each; then random mutations of good answers from a printed
// seed (RUBATO_TEST_SEED repeats one, RUBATO_TEST_MUTATIONS sets how many). Good requests run beside all of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { integerBetween, seededRandom, type Random } from '../../src/client/random.ts';
import { HOSTILE, type HostileAnswer } from '../support/hostile-corpus.ts';
import { HostileEngine } from '../support/hostile-engine.ts';
import { RawClient } from '../support/raw-client.ts';
import { Sidecar } from '../support/sidecar.ts';
import { fieldValues } from '../support/wire-parser.ts';

const SEED = Number(process.env['RUBATO_TEST_SEED'] ?? 20_261_129);
const MUTATIONS_COUNT = Number(process.env['RUBATO_TEST_MUTATIONS'] ?? 10_000);
const WORKERS_COUNT = 16;
/** Generous: the engine closes after 40 ms, and the machine may be busy. */
const ENDS_WITHIN_MS = 10_000;
const MIB = 1024 * 1024;
let engine: HostileEngine;
let sidecar: Sidecar;

beforeAll(async () => {
  engine = await HostileEngine.start((path) => {
    const [, kind, number = '0'] = path.split('/');
    return kind === 'named' ? Buffer.from(HOSTILE[Number(number)]?.bytes ?? '', 'latin1') : mutation(Number(number));
  });
  sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${engine.port}`, args: ['--chunks', 'off'] });
});
afterAll(async () => {
  await sidecar.stop();
  await engine.stop();
});

const TEMPLATES = [
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{"choices":[1,2]}',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nx-sum: 1\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: x\n\n\r\n0\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nserver: x\r\n\r\n',
  'HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 4\r\n\r\nbusy',
  'HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nuntil the end',
  'HTTP/1.1 304 Not Modified\r\netag: "a"\r\ncontent-length: 9\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
];
/** What does most harm in the wrong place. */
const NOISE = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  '0',
  'f',
  '-1',
  'HTTP/1.1 200 OK\r\n',
  'content-length: 9\r\n',
  'transfer-encoding: chunked\r\n',
  '0\r\n\r\n',
  '\xff',
];

/** A good answer with one to four faults in it; the same for the same number. */
function mutation(number: number): Buffer {
  const random = seededRandom(SEED ^ Math.imul(number + 1, 0x9e3779b1));
  let text = TEMPLATES[integerBetween(random, 0, TEMPLATES.length - 1)] as string;
  for (let i = integerBetween(random, 1, 4); i > 0; i -= 1) text = fault(text, random);
  return Buffer.from(text, 'latin1');
}

function fault(text: string, random: Random): string {
  const at = integerBetween(random, 0, text.length);
  const length = integerBetween(random, 1, 8);
  const noise = NOISE[integerBetween(random, 0, NOISE.length - 1)] as string;
  switch (integerBetween(random, 0, 6)) {
    case 0:
      return text.slice(0, at) + noise + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + length);
    case 2:
      return text.slice(0, at);
    case 3:
      return text.slice(0, at) + text.slice(at, at + length) + text.slice(at);
    case 4:
      return text.slice(0, at) + String.fromCharCode(integerBetween(random, 0, 255)) + text.slice(at + 1);
    case 5:
      return text + (TEMPLATES[integerBetween(random, 0, TEMPLATES.length - 1)] as string);
    default:
      return text.replace(/\d+/, noise);
  }
}

/** Asks, and waits until the answer or the connection is over. Throws when what came is no HTTP. */
async function ask(path: string): Promise<RawClient> {
  const client = await RawClient.open(sidecar.listenPort);
  client.request(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const isOver = (): boolean => client.gone || client.parser.last?.complete === true;
  await client.signal.until(`the end of ${path}`, () => isOver() || client.parser.fault !== undefined, ENDS_WITHIN_MS);
  expect([path, client.parser.fault]).toEqual([path, undefined]);
  return client;
}

/** A client of its own that asks for what it must get, over and over on one connection. */
async function goodClient(): Promise<{ check(): Promise<void>; close(): void }> {
  let client = await RawClient.open(sidecar.listenPort);
  let asked = 0;
  let count = 0;
  return {
    async check() {
      const path = `/good/${Math.random().toString(36).slice(2)}-${(count += 1)}`;
      if (client.gone) [client, asked] = [await RawClient.open(sidecar.listenPort), 0];
      client.request(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const response = await client.response(asked, ENDS_WITHIN_MS);
      asked += 1;
      expect([response.status, response.body.toString()]).toEqual([200, path]);
    },
    close: () => client.close(),
  };
}

function seen(client: RawClient): Pick<HostileAnswer, 'sees'> & { body: string } {
  const message = client.parser.messages[0];
  const body = message?.body.toString('latin1') ?? '';
  const error = fieldValues(message?.head?.lines ?? [], 'x-rubato-error')[0];
  if (error !== undefined) return { sees: 'refused', body: error };
  return { sees: message?.complete === true ? 'passed' : 'cut', body };
}

test('the corpus is as large as the plan wants it', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
});

describe('of the corpus', () => {
  test('each answer is refused, cut or passed on as it must be, and the next client has its own', async () => {
    const good = await goodClient();
    for (const [number, { name, sees, body }] of HOSTILE.entries()) {
      const client = await ask(`/named/${number}`);
      const what = seen(client);
      expect([name, what.sees]).toEqual([name, sees]);
      if (sees !== 'refused') expect([name, what.body]).toEqual([name, body]);
      else expect([name, what.body]).toEqual([name, expect.stringMatching(/^RBT_UPSTREAM_(BAD_RESPONSE|CLOSED)$/)]);
      await good.check();
      client.close();
    }
    good.close();
    expect(sidecar.fault).toBeUndefined();
  }, 60_000);
});

describe(`of ${MUTATIONS_COUNT} mutations (seed ${SEED})`, () => {
  test('none is waited for without end, altered into nonsense, or given to another client; memory is flat', async () => {
    let next = 0;
    let rssBytes = 0;
    const outcomes = { refused: 0, cut: 0, passed: 0 };
    const work = async (): Promise<void> => {
      const good = await goodClient();
      for (let number = next++; number < MUTATIONS_COUNT; number = next++) {
        if (number === Math.floor(MUTATIONS_COUNT / 2)) rssBytes = sidecar.rssBytes();
        const client = await ask(`/mutated/${number}`);
        outcomes[seen(client).sees] += 1;
        client.close();
        await good.check();
      }
      good.close();
    };
    await Promise.all(Array.from({ length: WORKERS_COUNT }, work));
    expect(sidecar.fault).toBeUndefined();
    // All three happen, or the mutations test nothing.
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(MUTATIONS_COUNT / 100);
    expect(sidecar.rssBytes() - rssBytes).toBeLessThan(48 * MIB);
    expect(sidecar.logs.filter(({ level }) => level === 'error')).toEqual([]);
  }, 600_000);
});
