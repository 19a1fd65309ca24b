// The files of deploy/ that are made by rubato's own commands, as these make them now: dashboards, rules and the unit
// tests of rules. `npm run docs` writes them, dashboards.test.ts checks them.
import { join } from 'node:path';
import { dashboardFiles } from '../../src/telemetry/grafana/files.ts';
import { runCli } from '../unit/cli/fake-io.ts';
import { ROOT } from './sources.ts';

export const DASHBOARDS = 'deploy/grafana/dashboards';
export const RULES = 'deploy/prometheus/rubato.rules.yml';
/** The same rules as the operator of Prometheus takes them. */
const OPERATOR_RULES = 'deploy/kubernetes/components/prometheus-rules/prometheus-rule.yaml';
export const RULE_TESTS = 'deploy/prometheus/rubato.tests.yml';
/** What the shipped rules are made of. */
const OBJECTIVES = 'deploy/objectives.yaml';

/** Path from the top of the repository → text. */
export async function deployFiles(): Promise<ReadonlyMap<string, string>> {
  const dashboards = dashboardFiles([]).map(({ name, text }) => [`${DASHBOARDS}/${name}`, text] as const);
  const config = ['--config', join(ROOT, OBJECTIVES)];
  return new Map([
    ...dashboards,
    [RULES, await said('rules', ...config)],
    [OPERATOR_RULES, await said('rules', ...config, '--format', 'kubernetes')],
    [RULE_TESTS, await said('rules', ...config, '--tests')],
  ]);
}

async function said(...args: string[]): Promise<string> {
  // The environment of whoever writes the files is not part of them.
  const { exitCode, out, err } = await runCli(args);
  if (exitCode !== 0) throw new Error(`rubato ${args.join(' ')} ended with ${exitCode}: ${err}`);
  return `${out}\n`;
}
