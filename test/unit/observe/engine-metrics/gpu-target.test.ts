// Goal: GPUs by their index, in our units, with what each has.
// Method: a page of the DCGM exporter with MIG parts and a GPU without profiling counters; a real server.
import { expect, test } from 'vitest';
import { GPUS_MAX_COUNT } from '../../../../src/base/poll-limits.ts';
import { GpuTarget } from '../../../../src/observe/engine-metrics/gpu-target.ts';
import { MetricsClient } from '../../../../src/observe/engine-metrics/metrics-client.ts';
import { poll } from '../../../support/signal.ts';
import { catchLog } from '../../telemetry/reports.ts';
import { startMetricsServer } from './metrics-server.ts';
import { DCGM_PAGE } from './pages.ts';

const MIB = 1024 * 1024;

test('a page becomes states, bounded in number', async () => {
  const many = Array.from({ length: 100 }, (_, gpu) => `DCGM_FI_DEV_POWER_USAGE{gpu="${gpu + 10}"} 5\n`).join('');
  const server = await startMetricsServer({ '/metrics': DCGM_PAGE });
  const client = new MetricsClient({ caPem: undefined, insecure: false });
  const log = catchLog();
  const target = new GpuTarget({ url: `${server.url}/metrics`, intervalMs: 500, client, log });
  try {
    expect(target.read()).toBeUndefined();
    target.start();
    const read = await poll('a page', () => target.read());
    expect(read.gpus).toEqual([
      {
        gpu: '0',
        activeRatio: 0.75,
        tensorActiveRatio: 0.125,
        dramActiveRatio: 0.875,
        memoryUsedBytes: 1024 * MIB,
        powerWatts: 412.345,
      },
      { gpu: '1', activeRatio: 0.5, memoryUsedBytes: 128 * MIB },
      { gpu: '2', activeRatio: 0.5 },
    ]);
    server.answers['/metrics'] = DCGM_PAGE + many;
    await poll('more GPUs', () => (target.read()?.gpus.length === GPUS_MAX_COUNT ? true : undefined));
    server.answers['/metrics'] = 'unrelated_total 5\n';
    await poll('a word about it', () => (log.lines.length > 0 ? true : undefined));
    expect([log.lines[0]?.fields['fault'], target.read()?.gpus.length]).toEqual(['unknown_names', GPUS_MAX_COUNT]);
  } finally {
    target.close();
    await client.close();
    await server.close();
  }
});
