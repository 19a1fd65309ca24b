// Goal: what stands at the pages of the admin port, beside its own list of them. Method: questions to the answerer
// itself, without a port.
import { expect, test } from 'vitest';
import { type AdminData, answerOf } from '../../../src/telemetry/admin-answers.ts';
import { catchLog } from './reports.ts';

function answer(path: string, data: Partial<AdminData>): unknown {
  const log = catchLog();
  const { status, body } = answerOf(data as AdminData, log, { path, query: '', accept: undefined });
  expect([status, log.lines]).toEqual([200, []]);
  return JSON.parse(Buffer.from(body).toString());
}

test('batch jobs are at /api/jobs: those under way, and the latest that ended', () => {
  const jobs = { open: [{ id: 'nightly' }], recent: [{ id: 'weekly', end: 'size', met: { deadline: 'true' } }] };
  expect(answer('/api/jobs', { jobs: () => jobs as never })).toEqual(jobs);
});
