// A sidecar for the demo: in this process, on free ports, told nothing by the environment.
import { loadConfig } from '../config/load.ts';
import { DEMO_REPORTS_MAX_COUNT } from '../base/limits.ts';
import type { StartedSidecar } from '../client/demo.ts';
import type { Report } from '../judge/report.ts';
import { startServe } from './serve.ts';

/** Promises that the demo's load keeps for the most part, so that there is something to see of them. */
const DEMO_OBJECTIVES = `
classes:
  - name: interactive
    objectives:
      - { objective: ttft, max_ms: 500, target: 0.95 }
      - { objective: gap_max, max_ms: 250, target: 0.99 }
      - { objective: gap_pooled_p99, max_ms: 100 }
      - { objective: valid, target: 0.99 }
  - name: batch
    objectives:
      - { objective: e2e, max_ms: 10000, target: 0.95, output_tokens_max: 256 }
`;

export async function startSidecar(upstreamUrl: string): Promise<StartedSidecar> {
  const loaded = loadConfig({
    flags: {
      upstream: upstreamUrl,
      listen: '127.0.0.1:0',
      admin: '127.0.0.1:0',
      'log-level': 'warn',
      config: 'objectives of the demo',
    },
    env: {},
    execArgv: [],
    platform: process.platform,
    readFile: () => DEMO_OBJECTIVES,
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
