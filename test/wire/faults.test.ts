// Goal: a fault of the upstream is named and honest: before the head 502 with a code, after it a
// cut that stays a cut. Nothing the engine sends can end the process, and nothing is sent twice.
// Method: raw engines that break the rules at every place; the raw client looks at what arrived and
// whether a last chunk was made up.
import { describe, expect, test } from 'vitest';
import { useBench, type Run } from '../support/bench.ts';
import { RawClient } from '../support/raw-client.ts';
import { RawEngine, PLAN_FIELD, type Script } from '../support/raw-engine.ts';
import { actAt, at, c, chatRequest, D, DONE, END, event, FINISH, HEAD, head } from '../support/script.ts';
import { Sidecar } from '../support/sidecar.ts';
import type { WireMessage } from '../support/wire-parser.ts';
import { poll, sleep } from '../support/signal.ts';

const bench = useBench();

function expectOwnAnswer(response: WireMessage, status: number, code: string): void {
  expect(response.status).toBe(status);
  expect(response.values('x-rubato-error')).toEqual([code]);
  expect(response.values('content-type')[0]).toMatch(/^application\/json/);
  expect(response.complete).toBe(true);
  const body = JSON.parse(response.body.toString()) as { error: { code: string; message: string } };
  expect(body.error.code).toBe(code);
  expect(body.error.message.length).toBeGreaterThan(10);
}

describe('before the head', () => {
  const bad = 'RBT_UPSTREAM_BAD_RESPONSE';
  const closed = 'RBT_UPSTREAM_CLOSED';
  test.each<readonly [string, Script, string, string]>([
    ['reset before the head', [actAt(20, 'rst')], closed, 'upstream_closed_before_head'],
    ['closed without a byte', [actAt(20, 'fin')], closed, 'upstream_closed_before_head'],
    [
      'reset inside the head',
      [at(0, 'HTTP/1.1 200 OK\r\ncontent-ty'), actAt(20, 'rst')],
      closed,
      'upstream_closed_before_head',
    ],
    ['closed inside the head', [at(0, 'HTTP/1.1 200 OK\r\n'), actAt(20, 'fin')], closed, 'upstream_closed_before_head'],
    [
      'closed after an early hint',
      [at(0, head('103 Early Hints', 'link: </x>')), actAt(20, 'fin')],
      closed,
      'upstream_closed_before_head',
    ],
    ['garbage', [at(0, 'SSH-2.0-OpenSSH_9.2\r\n\r\n')], bad, 'upstream_bad_response'],
    [
      'garbage in binary',
      [at(0, Buffer.from([0x15, 3, 3, 0, 2, 2, 70, 13, 10, 13, 10]))],
      bad,
      'upstream_bad_response',
    ],
    ['another version of HTTP', [at(0, 'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n')], bad, 'upstream_bad_response'],
    ['status 099', [at(0, 'HTTP/1.1 099 What\r\ncontent-length: 0\r\n\r\n')], bad, 'upstream_bad_response'],
    ['status 000', [at(0, 'HTTP/1.1 000 Nil\r\ncontent-length: 0\r\n\r\n')], bad, 'upstream_bad_response'],
    ['status 20', [at(0, 'HTTP/1.1 20 OK\r\ncontent-length: 0\r\n\r\n')], bad, 'upstream_bad_response'],
    ['status 2000', [at(0, 'HTTP/1.1 2000 OK\r\ncontent-length: 0\r\n\r\n')], bad, 'upstream_bad_response'],
    [
      'a control byte in the reason',
      [at(0, 'HTTP/1.1 200 O\u0001K\r\ncontent-length: 0\r\n\r\n')],
      bad,
      'upstream_bad_response',
    ],
    [
      'a NUL in a value',
      [at(0, 'HTTP/1.1 200 OK\r\nx-a: b\u0000c\r\ncontent-length: 0\r\n\r\n')],
      bad,
      'upstream_bad_response',
    ],
    [
      'a lone CR in a value',
      [at(0, 'HTTP/1.1 200 OK\r\nx-a: b\rx-b: c\r\ncontent-length: 0\r\n\r\n')],
      bad,
      'upstream_bad_response',
    ],
    [
      'a space in a name',
      [at(0, 'HTTP/1.1 200 OK\r\nx a: b\r\ncontent-length: 0\r\n\r\n')],
      bad,
      'upstream_bad_response',
    ],
    [
      'two different lengths',
      [at(0, head('200 OK', 'content-length: 1', 'content-length: 2'), 'ab')],
      bad,
      'upstream_bad_response',
    ],
    ['a length that is none', [at(0, head('200 OK', 'content-length: 1x'), 'ab')], bad, 'upstream_bad_response'],
    ['a negative length', [at(0, head('200 OK', 'content-length: -1'), 'ab')], bad, 'upstream_bad_response'],
    ['a head without end', [at(0, `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)], bad, 'upstream_bad_response'],
  ])('%s', async (_, script, code, outcome) => {
    const run = await bench.run({ script });
    expectOwnAnswer(run.response, 502, code);
    const { record } = await bench.recordOf(run);
    expect(record.end).toMatchObject({ outcome, phase: 'before_head', code });
  });

  test('a bare LF after the status line is read or refused, but hurts nobody', async () => {
    const run = await bench.run({ script: [at(0, 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'), actAt(50, 'fin')] });
    expect([200, 502]).toContain(run.response.status);
  });

  test('the client can use its connection again afterwards', async () => {
    const client = await bench.client();
    bench.engine.plan([actAt(10, 'rst')]);
    client.request(chatRequest());
    expectOwnAnswer(await client.response(0), 502, 'RBT_UPSTREAM_CLOSED');
    bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok')]);
    client.request(chatRequest());
    expect((await client.response(1)).body.toString()).toBe('ok');
  });

  test('a refused connection is 502 at once', async () => {
    const engine = await RawEngine.start();
    const { port } = engine;
    await engine.stop();
    const sidecar = await Sidecar.start({ upstream: `http://127.0.0.1:${port}` });
    try {
      const client = await RawClient.open(sidecar.listenPort);
      client.request(chatRequest({ model: 'refused' }));
      expectOwnAnswer(await client.response(0, 2_000), 502, 'RBT_UPSTREAM_CONNECT');
      const { record } = await sidecar.record('a refusal', (each) => each.request.model === 'refused');
      expect(record.end).toMatchObject({ outcome: 'connect_error', phase: 'before_head', reason: 'ECONNREFUSED' });
      expect((await sidecar.admin('/readyz')).status).toBe(503);
      client.close();
      expect(sidecar.fault).toBeUndefined();
    } finally {
      await sidecar.stop();
    }
  });
});

describe('K3', () => {
  test.each<readonly [string, Script, number]>([
    ['closes without a byte', [actAt(50, 'fin')], 502],
    ['answers 503 with retry-after 0', [at(50, head('503 Busy', 'retry-after: 0', 'content-length: 0'))], 503],
    ['answers 429', [at(50, head('429 Slow Down', 'retry-after: 1', 'content-length: 0'))], 429],
  ])('K3 an engine that %s gets the request once', async (_, script, status) => {
    const before = bench.engine.requestCount;
    const run = await bench.run({ script });
    expect(run.response.status).toBe(status);
    if (status !== 502) expect(run.response.values('retry-after')).toHaveLength(1);
    expect(bench.engine.requestCount).toBe(before + 1);
  });
});

describe('after the head', () => {
  const cut = [c(D('b')).subarray(0, 12)];
  test.each<readonly [string, Script]>([
    ['H2 reset', [at(0, HEAD, c(D('a'))), actAt(100, 'rst')]],
    ['H2 closed without the last chunk', [at(0, HEAD, c(D('a'))), actAt(100, 'fin')]],
    ['H2 closed inside a chunk', [at(0, HEAD, c(D('a')), ...cut), actAt(100, 'fin')]],
    ['closed inside a chunk size', [at(0, HEAD, c(D('a')), '4'), actAt(100, 'fin')]],
    ['closed inside the last chunk', [at(0, HEAD, c(D('a')), '0\r\n'), actAt(100, 'fin')]],
    ['garbage for a chunk size', [at(0, HEAD, c(D('a'))), at(100, 'zz\r\nxx\r\n')]],
    ['a chunk longer than stated', [at(0, HEAD, c(D('a'))), at(100, '2\r\nabcd\r\n')]],
    ['a negative chunk size', [at(0, HEAD, c(D('a'))), at(100, '-5\r\nabcde\r\n')]],
    ['a chunk size beyond all bounds', [at(0, HEAD, c(D('a'))), at(100, 'ffffffffffffffffff\r\nx')]],
    ['an endless chunk extension', [at(0, HEAD, c(D('a'))), at(100, `1;${'x'.repeat(100_000)}`)]],
  ])('%s: the client has what came and sees a cut', async (_, script) => {
    const run = await bench.run({ script });
    expect(run.response.status).toBe(200);
    expect(run.response.complete).toBe(false);
    expect(run.response.body.subarray(0, D('a').length).toString()).toBe(D('a'));
    expect(run.client.tail.endsWith(END)).toBe(false);
    const { record, figures } = await bench.recordOf(run);
    expect(['upstream_aborted', 'upstream_bad_response']).toContain(record.end.outcome);
    expect(record.end.phase).toBe('mid_stream');
    expect(figures.ttftNs).toBeGreaterThan(0);
  });

  test('H2 a stated length that is not reached is a cut', async () => {
    const script = [
      at(0, head('200 OK', 'content-type: text/event-stream', 'content-length: 100'), D('a').slice(0, 6)),
      actAt(50, 'fin'),
    ];
    const run = await bench.run({ script });
    expect(run.response.complete).toBe(false);
    expect(run.response.bodyBytes).toBe(6);
    const { record } = await bench.recordOf(run);
    expect(record.end.outcome).toBe('upstream_aborted');
  });

  test('H2 an HTTP/1.0 client can tell a cut from an end', async () => {
    const run = await bench.run({ version: '1.0', script: [at(0, HEAD, c(D('a'))), actAt(50, 'rst')] });
    await run.client.untilGone();
    // A close-delimited body has no other mark of a cut than a reset.
    expect(run.client.errorCode).toBe('ECONNRESET');
  });

  test("H2 the cut follows the engine's within moments", async () => {
    const run: Run = await bench.run({ script: [at(0, HEAD, c(D('a'))), actAt(100, 'rst')] });
    await run.client.untilGone();
    const goneAtNs = run.client.finAtNs ?? run.client.closedAtNs ?? Infinity;
    // Node may tell the engine of its own reset after the client has seen the cut.
    const cutAtNs = await poll('the reset', () => run.exchange.connection.closedAtNs);
    expect(goneAtNs - cutAtNs).toBeLessThanOrEqual(200e6);
  });

  test('bytes behind the answer reach nobody', async () => {
    const extra = head('200 OK', 'content-length: 6') + 'stolen';
    bench.engine.plan([at(0, head('200 OK', 'content-length: 2'), 'ok', extra)]);
    bench.engine.plan([at(0, head('200 OK', 'content-length: 3'), 'own')]);
    const client = await bench.client();
    client.request(chatRequest());
    expect((await client.response(0)).body.toString()).toBe('ok');
    client.request(chatRequest());
    expect((await client.response(1)).body.toString()).toBe('own');
  });

  test('an answer that arrives on an idle connection reaches nobody', async () => {
    const plan = bench.engine.plan([
      at(0, head('200 OK', 'content-length: 2'), 'ok'),
      at(60, head('200 OK', 'content-length: 6'), 'stolen'),
    ]);
    const client = await bench.client();
    client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
    expect((await client.response(0)).body.toString()).toBe('ok');
    await sleep(120);
    bench.engine.plan([at(0, head('200 OK', 'content-length: 3'), 'own')]);
    client.request(chatRequest());
    expect((await client.response(1)).body.toString()).toBe('own');
  });
});

describe('how streams end', () => {
  const overloaded = 'event: error\ndata: {"error":{"type":"overloaded_error","message":"Overloaded"}          }\n\n';
  test.each([
    ['H3 no terminal mark', [D('a'), D('b')], 'incomplete'],
    ['H3 an empty stream', [], 'incomplete'],
    ['a finish without an end mark', [D('a'), FINISH], 'ok'],
    ['an end mark without a finish', [D('a'), DONE], 'ok'],
    [
      'H1 an error object in place of the last chunks',
      [D('a'), event({ error: { message: 'died', type: 'server_error', code: 500 } }), DONE],
      'error_inband',
    ],
    ['H5 overloaded as the very first event', [overloaded], 'error_inband'],
    [
      'one of two choices finished',
      [
        event({ choices: [{ index: 1, delta: { content: 'x' } }] }),
        event({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] }),
      ],
      'incomplete',
    ],
  ])('%s', async (_, parts, outcome) => {
    const steps = parts.map((part, index) => at(10 + index * 20, c(part)));
    const run = await bench.check({ script: [at(0, HEAD), ...steps, at(30 + parts.length * 20, END)] });
    expect(run.record.end.outcome).toBe(outcome);
    expect(run.record.end.wire).toBe('complete');
  });

  test('H4 a close-delimited stream is ok with its mark, incomplete without, and flagged', async () => {
    const top = head('200 OK', 'content-type: text/event-stream', 'connection: close');
    const whole = await bench.check({ script: [at(0, top, D('a')), at(20, DONE), actAt(40, 'fin')] });
    expect(whole.record.end.outcome).toBe('ok');
    expect(whole.record.doubts).toContain('close_delimited');
    const short = await bench.check({ script: [at(0, top, D('a')), actAt(40, 'fin')] });
    expect(short.record.end.outcome).toBe('incomplete');
    expect(short.record.response.framing).toBe('close_delimited');
  });

  test('an error status is error_http and passes whole', async () => {
    const body = JSON.stringify({ error: { message: 'loading', type: 'unavailable_error' } });
    const run = await bench.check({
      script: [
        at(
          0,
          head('503 Service Unavailable', 'content-type: application/json', `content-length: ${body.length}`),
          body,
        ),
      ],
    });
    expect(run.record.end.outcome).toBe('error_http');
    expect(run.figures.ttftNs).toBeUndefined();
  });
});
