// `rubato rules`: the objectives of a configuration as rules for Prometheus, and as unit tests of these rules.
// Knows flags; what the rules are stands in telemetry/rules/.
import type { Command } from 'commander';
import { readChoice } from '../config/values.ts';
import { writeYaml } from '../config/yaml-file.ts';
import type { ClassSpec } from '../record/traffic-class.ts';
import { RULE_FORMATS, ruleFile, ruleTestFile } from '../telemetry/rules/files.ts';
import { EXIT } from './exit-codes.ts';
import { configurationFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';
import { loadClasses } from './load-classes.ts';

const RULE_FILE = 'rubato.rules.yml';

const HELP = `
Takes the classes of the same YAML file as "rubato serve" and writes to the standard output:
  recording rules  share of exchanges that missed each objective, over 5m, 30m, 1h, 6h and 3d; goodput with
                   its denominator; percentiles by histogram_quantile, never of percentiles; stalls by cause
  alerts           error budgets that burn 14.4, 6 and 1 times too fast, each over a long and a short window;
                   stalls, prompts in the steps of streams, preemptions, a full KV cache, retries, missed batch jobs,
                   no data, and rubato's own health

An objective with the target 0.99 has an error budget of 1 %. It burns 14.4 times too fast when 14.4 % missed
it in the last hour and in the last five minutes: then 2 % of the budget of 30 days went in that hour.

Examples:
  rubato rules --config rubato.yaml > ${RULE_FILE}
  rubato rules --config rubato.yaml --tests > rubato.tests.yml
  promtool check rules ${RULE_FILE} && promtool test rules rubato.tests.yml
  rubato rules --config rubato.yaml --format kubernetes | kubectl apply -f -

In prometheus.yml:
  rule_files: [${RULE_FILE}]
  scrape_configs: [{ job_name: rubato, static_configs: [{ targets: ["127.0.0.1:9464"] }] }]

From a checkout, "npm run --silent rubato -- rules" keeps npm's own lines out of the file.`;

export function rulesCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('write Prometheus rules, and unit tests of them, from the objectives of a configuration')
    .option('--config <FILE>', 'YAML file with the classes and their objectives (default: RUBATO_CONFIG)')
    .option('--format <FORMAT>', `${RULE_FORMATS.join(' or ')} (PrometheusRule of its operator)`, 'prometheus')
    .option('--tests', 'write unit tests for promtool instead of the rules')
    .option('--rule-file <NAME>', 'name that the tests know the rules by', RULE_FILE)
    .addHelpText('after', HELP);
  return async (given) => {
    const faults: string[] = [];
    const flags = new FlagReader(given, faults);
    const format = flags.read('format', 'prometheus', readChoice(RULE_FORMATS)) ?? 'prometheus';
    const loaded = loadClasses(flags.text('config'), io);
    faults.push(...('faults' in loaded ? loaded.faults : []));
    if (faults.length > 0 || 'faults' in loaded) throw configurationFailure(faults);
    const { classes } = loaded.config;
    const wantsTests = given.getOptionValue('tests') === true;
    const file = wantsTests ? ruleTestFile(classes, flags.text('ruleFile') ?? RULE_FILE) : ruleFile(classes, format);
    io.out(`# Made by "rubato rules". Change the configuration and make it anew.\n${writeYaml(file).trimEnd()}`);
    if (!hasObjectives(classes)) io.err('No class has objectives, so there is no alert on a budget: see --help.');
    return EXIT.ok.code;
  };
}

function hasObjectives(classes: readonly ClassSpec[]): boolean {
  return classes.some(({ objectives = [] }) => objectives.length > 0);
}
