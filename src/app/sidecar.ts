// A sidecar for the demo: in this process, on free ports, told nothing by the environment.
import { loadConfig } from '../config/load.ts';
import { DEMO_REPORTS_MAX_COUNT } from '../base/limits.ts';
import type { StartedSidecar } from '../client/demo.ts';
import type { Report } from '../judge/report.ts';
import { startServe } from './serve.ts';

export async function startSidecar(upstreamUrl: string): Promise<StartedSidecar> {
  const loaded = loadConfig({
    flags: { upstream: upstreamUrl, listen: '127.0.0.1:0', admin: '127.0.0.1:0', 'log-level': 'warn' },
    env: {},
    execArgv: [],
    platform: process.platform,
    readFile: () => '',
    checks: [],
  });
  if ('faults' in loaded) throw new Error(loaded.faults.join('\n'));
  const reports: Report[] = [];
  const running = await startServe(loaded.config, {
    env: {},
    sinks: [
      {
        name: 'demo',
        onReport(report) {
          reports.push(report);
          if (reports.length > DEMO_REPORTS_MAX_COUNT) reports.shift();
        },
      },
    ],
  });
  return {
    url: `http://${running.listen}`,
    adminUrl: `http://${running.admin}`,
    reports: () => reports,
    close: () => running.close('done'),
  };
}
