// What rubato says about itself and about what is open now. All of it is kept elsewhere and read
// when somebody collects, through the callbacks given here.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { OpenExchange } from '../judge/report.ts';
import { countActive } from './active-gauge.ts';
import { EXPORT_METRICS, observeExports, type ExportCounts } from './export-metrics.ts';
import type { MetricStore, Observation } from './store.ts';

export interface SelfSources {
  /** Exchanges under way. */
  openExchanges(): Iterable<Pick<OpenExchange, 'class' | 'model' | 'phase'>>;
  /** Largest time, in the last ten seconds, for which a thread's loop was busy in one turn. */
  loopLagNs(): Iterable<{ readonly thread: string; readonly lagNs: number }>;
  /** Steps of the wall clock that were seen. */
  clockStepCount(): number;
  /** Time for which the container's CPU quota held the process back; undefined without a quota. */
  cpuThrottledNs(): number | undefined;
  /** What was left out of the tapes under overload, by step of degradation. */
  tapeDropped(): Iterable<{ readonly kind: string; readonly count: number }>;
  /** Requests and connections refused for want of room, by reason. */
  shed(): Readonly<Record<string, number>>;
  /** Exchanges whose body is no longer read because its reader failed, and sinks that failed. */
  readerDetachedCount(): number;
  /** What was to leave the process, by signal. */
  exports(): readonly ExportCounts[];
  /** Connections to engines given up because bytes came on them that belong to no request. */
  upstreamSurplusCount(): number;
  /** Requests that never became an exchange. */
  refusedCount(): number;
  /** Model names without a label of their own. */
  foldedModelCount(): number;
  /** Exchanges that did not wait for evidence as long as they should have. */
  settledEarlyCount(): number;
  /** Of the listener for OTLP from engines; undefined when there is none. */
  otlp():
    | {
        /** By signal. */
        readonly received: Readonly<Record<string, number>>;
        readonly forwarded: Readonly<Record<string, number>>;
        /** By reason. */
        readonly dropped: Readonly<Record<string, number>>;
        /** Exchanges by what the spans that came for them were good for. */
        readonly joined: Readonly<Record<string, number>>;
      }
    | undefined;
  /** What calibrated models answered, by reason; `estimated` is the one that gave an estimate. */
  calibrations(): Readonly<Record<string, number>>;
  /** CPU time of the whole process since its start, user and system. */
  cpuNs(): number;
}

export const ACTIVE: MetricSpec = {
  name: 'rubato.active',
  type: 'gauge',
  unit: '{exchange}',
  help: 'Exchanges under way by what they wait for: a turn in the admission queue, the head, the first token, the next token; `silent` ones stalled.',
  labels: ['phase'],
  classed: true,
};

export const LOOP_LAG: MetricSpec = {
  name: 'rubato.self.loop_lag',
  type: 'gauge',
  unit: 's',
  help: 'Longest turn of the loop of a thread in the last ten seconds, from its first to its last moment.',
  labels: ['thread'],
  classed: false,
};

const CLOCK_STEPS: MetricSpec = {
  name: 'rubato.self.clock_steps',
  type: 'counter',
  unit: '{step}',
  help: 'Steps of the wall clock by more than 50 ms. No duration depends on it.',
  labels: [],
  classed: false,
};

export const CPU_THROTTLED: MetricSpec = {
  name: 'rubato.self.cpu_throttled',
  type: 'counter',
  unit: 's',
  help: 'Time for which the CPU quota of the container held this process back, summed over CPUs; absent without one.',
  labels: [],
  classed: false,
};

export const TAPE_DROPPED: MetricSpec = {
  name: 'rubato.self.tape_dropped',
  type: 'counter',
  unit: '{entry}',
  help: 'Entries, or their bytes, left out of the tape because the main thread did not keep up.',
  labels: ['kind'],
  classed: false,
};

export const SHED: MetricSpec = {
  name: 'rubato.self.shed',
  type: 'counter',
  unit: '{request}',
  help: 'Requests and connections refused because streams, connections, memory or descriptors were at their limit.',
  labels: ['reason'],
  classed: false,
};

export const READER_DETACHED: MetricSpec = {
  name: 'rubato.self.reader_detached',
  type: 'counter',
  unit: '{reader}',
  help: 'Readers of a body, and sinks, that were detached after a fault of their own.',
  labels: [],
  classed: false,
};

const UPSTREAM_SURPLUS: MetricSpec = {
  name: 'rubato.self.upstream_surplus',
  type: 'counter',
  unit: '{connection}',
  help: 'Connections to upstreams closed because bytes came on them behind an answer, or between two. No client got them.',
  labels: [],
  classed: false,
};

const REFUSED: MetricSpec = {
  name: 'rubato.self.refused',
  type: 'counter',
  unit: '{request}',
  help: 'Requests and handshakes refused before they became an exchange: malformed, CONNECT, or one too many on a connection.',
  labels: [],
  classed: false,
};

const MODELS_FOLDED: MetricSpec = {
  name: 'rubato.self.models_folded',
  type: 'counter',
  unit: '{model}',
  help: 'Different models that were served and count as `other`, because all labels for models were taken.',
  labels: [],
  classed: false,
};

const SETTLED_EARLY: MetricSpec = {
  name: 'rubato.self.settled_early',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges reported before the time for their evidence was up, because too many waited for theirs.',
  labels: [],
  classed: false,
};

const OTLP_RECEIVED: MetricSpec = {
  name: 'rubato.self.otlp_received',
  type: 'counter',
  unit: '{request}',
  help: 'OTLP requests of engines that --otlp-listen has accepted.',
  labels: ['signal'],
  classed: false,
};

const OTLP_FORWARDED: MetricSpec = {
  name: 'rubato.self.otlp_forwarded',
  type: 'counter',
  unit: '{request}',
  help: 'OTLP requests of engines that the collector has taken.',
  labels: ['signal'],
  classed: false,
};

const OTLP_DROPPED: MetricSpec = {
  name: 'rubato.self.otlp_dropped',
  type: 'counter',
  unit: '{item}',
  help: 'What --otlp-listen refused, did not read or could not pass on, and spans that nobody asked for in time.',
  labels: ['reason'],
  classed: false,
};

const OTLP_JOINED: MetricSpec = {
  name: 'rubato.self.otlp_joined',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges for which engine spans came: told their queue or prefill, silent about both, ambiguous, or late.',
  labels: ['kind'],
  classed: false,
};

const CALIBRATIONS: MetricSpec = {
  name: 'rubato.self.calibrations',
  type: 'counter',
  unit: '{exchange}',
  help: 'Exchanges that a calibrated model was asked about: `estimated`, or why it gave no estimate.',
  labels: ['reason'],
  classed: false,
};

const CPU: MetricSpec = {
  name: 'rubato.self.cpu',
  type: 'counter',
  unit: 's',
  help: 'CPU time used by this process since its start.',
  labels: [],
  classed: false,
};

export const SELF_METRICS: readonly MetricSpec[] = [
  ACTIVE,
  LOOP_LAG,
  CLOCK_STEPS,
  CPU_THROTTLED,
  TAPE_DROPPED,
  SHED,
  READER_DETACHED,
  ...EXPORT_METRICS,
  UPSTREAM_SURPLUS,
  REFUSED,
  MODELS_FOLDED,
  SETTLED_EARLY,
  OTLP_RECEIVED,
  OTLP_FORWARDED,
  OTLP_DROPPED,
  OTLP_JOINED,
  CALIBRATIONS,
  CPU,
];

/** Has the store read the sources at each collection; `classes` are there at 0 in every phase. */
export function observeSelf(store: MetricStore, sources: SelfSources, classes: () => readonly string[]): void {
  store.observe(
    ACTIVE,
    countActive(() => sources.openExchanges(), classes),
  );
  store.observe(LOOP_LAG, () =>
    map(sources.loopLagNs(), ({ thread, lagNs }) => ({ labels: { thread }, value: lagNs })),
  );
  store.observe(TAPE_DROPPED, () =>
    map(sources.tapeDropped(), ({ kind, count }) => ({ labels: { kind }, value: count })),
  );
  store.observe(SHED, () => byLabel('reason', sources.shed()));
  store.observe(READER_DETACHED, () => [{ labels: {}, value: sources.readerDetachedCount() }]);
  observeExports(store, () => sources.exports());
  const counts = [
    [CLOCK_STEPS, () => sources.clockStepCount()],
    [CPU_THROTTLED, () => sources.cpuThrottledNs()],
    [UPSTREAM_SURPLUS, () => sources.upstreamSurplusCount()],
    [REFUSED, () => sources.refusedCount()],
    [MODELS_FOLDED, () => sources.foldedModelCount()],
    [SETTLED_EARLY, () => sources.settledEarlyCount()],
  ] as const;
  for (const [spec, count] of counts) store.observe(spec, () => valueOf(count()));
  store.observe(OTLP_RECEIVED, () => byLabel('signal', sources.otlp()?.received));
  store.observe(OTLP_FORWARDED, () => byLabel('signal', sources.otlp()?.forwarded));
  store.observe(OTLP_DROPPED, () => byLabel('reason', sources.otlp()?.dropped));
  store.observe(OTLP_JOINED, () => byLabel('kind', sources.otlp()?.joined));
  store.observe(CALIBRATIONS, () => byLabel('reason', sources.calibrations()));
  store.observe(CPU, () => [{ labels: {}, value: sources.cpuNs() }]);
}

/** What is not known has no series. */
function valueOf(value: number | undefined): Observation[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

function byLabel<Label extends 'signal' | 'reason' | 'kind'>(
  label: Label,
  counts: Readonly<Record<string, number>> = {},
): Observation[] {
  return Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function map<From, To>(items: Iterable<From>, change: (item: From) => To): To[] {
  return Array.from(items, change);
}
