// Goal: by default rubato sets no limit of its own; limits that are configured act on silence, end
// the exchange visibly and go by their own names (kind J).
// Method: raw engines that keep silent; a sidecar without limits and one with short ones.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { at, c, D, DONE, END, HEAD, head, T, COMPLETIONS_TARGET } from '../support/script.ts';

describe('without limits', () => {
  const bench = useBench();

  test.each([
    ['J1 before the head', [at(1_000, HEAD, c(D('a')), c(DONE), END)]],
    ['J1 after the head', [at(0, HEAD), at(1_000, c(D('a')), c(DONE), END)]],
    ['J1 between two events', [at(0, HEAD, c(D('a'))), at(1_000, c(D('b')), c(DONE), END)]],
    [
      'J2 with a media type of another kind',
      [
        at(
          0,
          head('200 OK', 'content-type: application/x-stream; charset=utf-8', 'transfer-encoding: chunked'),
          c('a'),
        ),
        at(1_000, c('b'), END),
      ],
    ],
  ] as const)('%s silence is let be', async (_, script) => {
    const run = await bench.check({ script });
    expect(run.record.end.wire).toBe('complete');
  });
});

describe('with limits', () => {
  const bench = useBench({ args: ['--timeout-head', '0.4', '--timeout-idle', '0.4'] });

  test('a head that does not come is 504, and the engine is told to stop', async () => {
    const run = await bench.run({ script: [at(3_000, HEAD)] });
    expect(run.response.status).toBe(504);
    expect(run.response.values('x-rubato-error')).toEqual(['RBT_TIMEOUT_HEAD']);
    expect(JSON.parse(run.response.body.toString())).toHaveProperty('error.code', 'RBT_TIMEOUT_HEAD');
    await run.exchange.connection.untilGone(1_000);
    const { record, figures } = await bench.recordOf(run);
    expect(record.end).toMatchObject({ outcome: 'timeout_head', phase: 'before_head' });
    expect(figures.noFirstToken).toBe('timeout');
  });

  test('J3 a stream that keeps talking is never cut, however long', async () => {
    const events = Array.from({ length: 16 }, (_, index) => at(index * 100, c(D('a'))));
    const run = await bench.check({ script: [at(0, HEAD), ...events, at(1_600, c(DONE), END)] });
    expect(run.record.end.outcome).toBe('ok');
  });

  test.each([
    [
      'after some events',
      undefined,
      [at(0, HEAD, c(D('a'))), at(50, c(D('b'))), at(3_000, c(DONE), END)],
      'mid_stream',
    ],
    ['after the head', undefined, [at(0, HEAD), at(3_000, c(D('a')), END)], 'before_token'],
    ['completions', COMPLETIONS_TARGET, [at(0, HEAD, c(T('a'))), at(3_000, c(DONE), END)], 'mid_stream'],
  ] as const)('J3 silence beyond the limit is a cut, not an end: %s', async (_, target, script, phase) => {
    const run = await bench.run({ script, ...(target === undefined ? {} : { target }) });
    expect(run.response.complete).toBe(false);
    expect(run.client.tail.endsWith(END)).toBe(false);
    await run.exchange.connection.untilGone(1_000);
    const { record } = await bench.recordOf(run);
    expect(record.end).toMatchObject({ outcome: 'timeout_idle', phase });
  });

  test('comments of the engine are no silence', async () => {
    const pings = Array.from({ length: 8 }, (_, index) => at(index * 150, c(': ping\n\n')));
    const run = await bench.check({ script: [at(0, HEAD), ...pings, at(1_200, c(D('a')), c(DONE), END)] });
    expect(run.record.end.outcome).toBe('ok');
  });
});
