// `rubato dashboards`: what rubato measures as dashboards for Grafana, one file each. Knows flags and files; what the
// dashboards are stands in telemetry/grafana/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type DashboardFile, dashboardFiles } from '../telemetry/grafana/files.ts';
import { EXIT } from './exit-codes.ts';
import { configurationFailure, usageFailure, writeFailure } from './failures.ts';
import { FlagReader } from './flag-reader.ts';
import type { Io } from './io.ts';
import { loadClasses } from './load-classes.ts';

const HELP = `
Writes one JSON file a dashboard, and without --out says what there is. All of them have variables for the data
source, job, instance and whatever else their metrics can be told apart by, say at every panel between which
events a figure lies and how to read it, and lead from exemplars to traces.

With --config each promise about a length gets a panel of its own in the dashboard of objectives: the percentile
that the promise is about, with its limit drawn in.

Examples:
  rubato dashboards --out dashboards
  rubato dashboards --config rubato.yaml --out /var/lib/grafana/dashboards/rubato
  rubato dashboards --out dashboards --datasource prometheus

Bring them into Grafana by provisioning (deploy/grafana/provisioning in the repository has files for it), or by
hand: Dashboards, New, Import. Grafana does not let them be edited, since the next version writes them anew; save a
copy under another name for that. Prometheus stores exemplars with --enable-feature=exemplar-storage only.

From a checkout, use "npm run --silent rubato -- dashboards".`;

/** A uid of Grafana. */
const UID = /^[\w-]{1,40}$/;

export function dashboardsCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  command
    .description('write dashboards for Grafana, made from the same table as the metrics')
    .option('--out <DIR>', 'folder to write them to; made where it is missing')
    .option('--config <FILE>', 'YAML file with the classes and their objectives (default: RUBATO_CONFIG)')
    .option('--datasource <UID>', "uid of the Prometheus to begin with (default: Grafana's default one)")
    .addHelpText('after', HELP);
  return async (given) => {
    const flags = new FlagReader(given, []);
    const uid = flags.text('datasource');
    if (uid !== undefined && !UID.test(uid)) {
      throw usageFailure(['--datasource: expected the uid of a data source: at most 40 letters, digits, - and _.']);
    }
    const loaded = loadClasses(flags.text('config'), io);
    if ('faults' in loaded) throw configurationFailure(loaded.faults);
    const files = dashboardFiles(loaded.config.classes, uid === undefined ? {} : { dataSourceUid: uid });
    const folder = flags.text('out');
    if (folder === undefined) list(files, io);
    else write(files, folder, io);
    return EXIT.ok.code;
  };
}

function list(files: readonly DashboardFile[], io: Io): void {
  const width = Math.max(...files.map(({ name }) => name.length));
  for (const { name, answers } of files) io.out(`${name.padEnd(width)}  ${answers}`);
  io.err('Write them with --out DIR.');
}

function write(files: readonly DashboardFile[], folder: string, io: Io): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  } catch (error) {
    throw writeFailure(`to ${folder}`, error);
  }
  for (const { name, title } of files) io.out(`${join(folder, name)}  ${title}`);
}
