// Goal: what stands at the pages of the admin port, beside its own list of them. Method: questions to the answerer
// itself, without a port.
import { expect, test } from 'vitest';
import { type AdminData, answerOf } from '../../../src/telemetry/admin-answers.ts';
import { catchLog } from './reports.ts';

async function answer(path: string, data: Partial<AdminData>): Promise<unknown> {
  const log = catchLog();
  const { status, body } = await answerOf(data as AdminData, log, { path, query: '', accept: undefined });
  expect([status, log.lines]).toEqual([200, []]);
  return JSON.parse(Buffer.from(body).toString());
}

test('batch jobs are at /api/jobs: those under way, and the latest that ended', async () => {
  const jobs = { open: [{ id: 'nightly' }], recent: [{ id: 'weekly', end: 'size', met: { deadline: 'true' } }] };
  expect(await answer('/api/jobs', { jobs: () => jobs as never })).toEqual(jobs);
});

test('metrics are made in slices: others have their turns before thousands of series are written', async () => {
  let turnCount = 0;
  const ticking = setImmediate(function tick() {
    turnCount += 1;
    if (turnCount < 10_000) setImmediate(tick);
  });
  function* pieces(): Generator<string> {
    for (let index = 0; index < 6; index += 1) {
      const untilMs = performance.now() + 1;
      while (performance.now() < untilMs);
      yield `${index}\n`;
    }
  }
  const asked = { path: '/metrics', query: '', accept: undefined };
  const data = { metricsText: () => ({ contentType: 'text/plain', pieces: pieces() }) };
  const { status, fields, body } = await answerOf(data as Partial<AdminData> as AdminData, catchLog(), asked);
  clearImmediate(ticking);
  expect([status, fields['content-type'], Buffer.from(body).toString()]).toEqual([
    200,
    'text/plain',
    '0\n1\n2\n3\n4\n5\n',
  ]);
  expect(turnCount).toBeGreaterThanOrEqual(6);
});

test('a fault half-way through the metrics is an answer, and its reason is in the log only', async () => {
  function* pieces(): Generator<string> {
    yield 'a 1\n';
    throw new Error('no such series');
  }
  const log = catchLog();
  const data = { metricsText: () => ({ contentType: 'text/plain', pieces: pieces() }) };
  const asked = { path: '/metrics', query: '', accept: undefined };
  const { status, body } = await answerOf(data as Partial<AdminData> as AdminData, log, asked);
  expect([status, Buffer.from(body).toString().includes('no such series'), log.lines.length]).toEqual([500, false, 1]);
});
