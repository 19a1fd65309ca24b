// Goal: an answer that was cut anywhere is a cut for the client, and one that was whole is whole: the client never
// sees a clean end that the engine did not send (T06, F16).
// Method: answers of several framings and dialects, ended by FIN or RST at every position of their bytes; each client
// must have a beginning of the body and no end of it. A property over random cuts; the seed is printed when a run fails.
import { assert, asyncProperty, constant, constantFrom, nat, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { c, chatRequest, D, DONE, END, event, HEAD, head } from '../support/script.ts';
import { sleep } from '../support/signal.ts';

const bench = useBench();

interface Answer {
  readonly name: string;
  readonly bytes: Buffer;
  /** Length of the head. */
  readonly headBytes: number;
  readonly body: string;
}

function answer(name: string, top: string, rest: string, body: string): Answer {
  return { name, bytes: Buffer.from(top + rest), headBytes: top.length, body };
}

const chunks = (...parts: readonly string[]): string => parts.map((part) => c(part).toString()).join('');
const anthropic = [
  `event: message_start\n${event({ type: 'message_start', message: { id: 'm', role: 'assistant' } })}`,
  `event: content_block_delta\n${event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } })}`,
  `event: message_stop\n${event({ type: 'message_stop' })}`,
];
const responses = [
  `event: response.output_text.delta\n${event({ type: 'response.output_text.delta', delta: 'a' })}`,
  `event: response.completed\n${event({ type: 'response.completed', response: { id: 'r', status: 'completed' } })}`,
];
const lines = ['{"message":{"content":"a"},"done":false}\n', '{"message":{"content":""},"done":true}\n'];
const chunkedAs = (type: string): string => head('200 OK', `content-type: ${type}`, 'transfer-encoding: chunked');
const TRAILERS = '0\r\nx-count: 3\r\nx-end: yes\r\n\r\n';

const ANSWERS: readonly Answer[] = [
  answer('chat', HEAD, chunks(D('a'), D('b'), DONE) + END, D('a') + D('b') + DONE),
  answer('messages', HEAD, chunks(...anthropic) + END, anthropic.join('')),
  answer('responses', HEAD, chunks(...responses) + END, responses.join('')),
  answer('lines of JSON', chunkedAs('application/x-ndjson'), chunks(...lines) + END, lines.join('')),
  answer('with trailers', chunkedAs('text/event-stream'), chunks(D('a'), DONE) + TRAILERS, D('a') + DONE),
  answer(
    'of stated length',
    head('200 OK', 'content-type: application/json', 'content-length: 26'),
    '{"choices":[{"index":0}]} ',
    '{"choices":[{"index":0}]} ',
  ),
];

/** What a client behind the sidecar gets of an answer that ends after so many bytes. */
async function cutAfter(each: Answer, bytes: number, act: 'fin' | 'rst') {
  const plan = bench.engine.plan(async (exchange) => {
    await exchange.write(each.bytes.subarray(0, bytes));
    // A reset may take away what was written before it; so it comes when that has been read.
    if (act === 'rst') await sleep(20);
    exchange[act]();
  });
  const client = await RawClient.open(bench.sidecar.listenPort);
  client.request(chatRequest({ lines: ['te: trailers', `${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response();
  client.close();
  return { response, client };
}

async function expectCut(each: Answer, bytes: number, act: 'fin' | 'rst'): Promise<void> {
  const { response, client } = await cutAfter(each, bytes, act);
  const what = `${each.name} ended by ${act} after ${bytes} of ${each.bytes.length} bytes`;
  if (bytes < each.headBytes) {
    expect([response.status, response.complete], what).toEqual([502, true]);
    return;
  }
  expect([response.status, response.complete], what).toEqual([200, false]);
  expect(client.tail.endsWith(END), what).toBe(false);
  expect(each.body.startsWith(response.body.toString()), what).toBe(true);
}

describe.each(ANSWERS)('an answer: $name', (each) => {
  test('that is whole is whole', async () => {
    const { response } = await cutAfter(each, each.bytes.length, 'fin');
    expect([response.complete, response.body.toString()]).toEqual([true, each.body]);
  });

  test('is cut wherever it was cut in its last bytes', async () => {
    // The last event, the last chunk and the trailers: where an end could be made up.
    const from = Math.max(each.headBytes, each.bytes.length - 40);
    const cuts = Array.from({ length: each.bytes.length - from }, (_, index) => from + index);
    await Promise.all(cuts.map((bytes) => expectCut(each, bytes, 'fin')));
  });
});

test('any answer is cut wherever it was cut', async () => {
  const numRuns = Number(process.env['FUZZ_RUNS'] ?? 150);
  const cut = constantFrom(...ANSWERS).chain((each) =>
    tuple(constant(each), nat(each.bytes.length - 1), constantFrom('fin' as const, 'rst' as const)),
  );
  await assert(
    asyncProperty(cut, ([each, bytes, act]) => expectCut(each, bytes, act)),
    { numRuns },
  );
});

test.each([
  ['a trailer’s name', '0\r\nx-co'],
  ['a trailer’s value', '0\r\nx-count: 3'],
  ['the line behind a trailer', '0\r\nx-count: 3\r\n'],
  ['the last line end', '0\r\nx-count: 3\r\n\r'],
])('F16 a cut in %s is a cut, and its record says so', async (_where, rest) => {
  const run = await bench.run({
    script: async (exchange) => {
      await exchange.write(HEAD, c(D('a')), c(DONE), rest);
      exchange.fin();
    },
  });
  expect(run.response.complete).toBe(false);
  expect(run.response.body.toString()).toBe(D('a') + DONE);
  const { record } = await bench.recordOf(run);
  expect(record.end.wire).toBe('upstream_aborted');
});
