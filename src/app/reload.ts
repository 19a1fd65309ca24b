// Changes a sidecar's configuration while it runs. Nothing is started anew: each part is told what holds
// from now on, and exchanges that are open keep to what held when they opened, so no stream is cut and
// no figure changes its labels half-way.
import type { Config } from '../config/config.ts';
import type { Loaded } from '../config/load.ts';
import { reloaded } from '../config/reload-scope.ts';
import { createClassifier } from '../observe/classifier.ts';
import { allRoutes } from './edge-routes.ts';
import { pollSettings } from './engine-polling.ts';
import { type Parts, settingsOfRelays } from './parts.ts';

/** More faults than anybody reads; the log of a broken file is no storm. */
const FAULTS_TOLD_MAX_COUNT = 50;

/** Takes what was read. A configuration with faults changes nothing; all of them are told. */
export async function reload(parts: Parts, loaded: Loaded): Promise<void> {
  const { log, state, routeBook } = parts;
  if ('faults' in loaded) return refuse(parts, loaded.faults);
  const { config, kept } = reloaded(state.config, loaded.config);
  if (!routeBook.hasRoomFor(allRoutes(config))) {
    return refuse(parts, ['There were too many different routes since the start; start the process anew.']);
  }
  for (const warning of loaded.warnings) log.warn(warning);
  if (kept.length > 0) {
    log.warn('these keys were changed and keep their old value until a restart', { keys: kept.join(', ') });
  }
  await change(parts, config);
  log.info('the configuration was read anew', { routes: config.routes.length, classes: config.classes.length });
}

function refuse({ log }: Parts, faults: readonly string[]): void {
  log.error('the configuration was read anew and has faults, so the old one goes on', { fault_count: faults.length });
  for (const fault of faults.slice(0, FAULTS_TOLD_MAX_COUNT)) log.error(fault);
}

/** Against the order of travel, so that nothing arrives where its name is not known yet. */
async function change(parts: Parts, config: Config): Promise<void> {
  const { log, state, outlets, observer, floors, polling, routeBook, supervisor, watch } = parts;
  // What could fail comes before what changes anything.
  const settings = settingsOfRelays(config, parts);
  const classifier = createClassifier(config.classHeader, config.classes);
  state.config = config;
  log.setLevel(config.logLevel);
  outlets.reconfigure(config);
  const { models, promptBucketEdges, outputBucketEdges } = config;
  observer.reconfigure({ classifier, promptBucketEdges, outputBucketEdges }, models, routeBook.hold(allRoutes(config)));
  floors.configure(config.routes);
  const polled = polling.reconfigure(pollSettings(config));
  await Promise.all([polled, supervisor.configure(settings)]);
  void watch.start(allRoutes(config).map(({ upstream }) => upstream));
}
