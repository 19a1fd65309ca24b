// One run as a benchmark of GuideLLM (its `GenerativeBenchmark`, guidellm 0.8.1): what was sent how, and the figures.
// Keeps its requests while the run goes on, and no more of them than it is allowed. Knows no file.
import { randomUUID } from 'node:crypto';
import type { LoadOptions } from '../options.ts';
import type { LoadExchange, LoadResult } from '../result.ts';
import { backendJson, constraintsJson, profileJson, strategyJson, warmupJson } from './config.ts';
import { NOTHING } from './distribution.ts';
import { least, most } from './extremes.ts';
import { metricsJson } from './metrics.ts';
import { type KeptRequest, keptRequest, requestJson } from './request.ts';

const MS_PER_S = 1e3;
const NS_PER_S = 1e9;
/** What GuideLLM writes for a mean of its own scheduler that it does not have. */
const NO_MEAN = -1;

/** How much may still be kept, over all runs of a file. */
export interface Room {
  requestCount: number;
  textEventCount: number;
}

/** What a run is told by the one that tries several, such as a setting of the engine. */
export interface BenchmarkPlace {
  readonly runId: string;
  readonly index: number;
  readonly step: Readonly<Record<string, string>>;
}

export class GuidellmBenchmark {
  readonly options: LoadOptions;
  readonly #room: Room;
  readonly #requests: KeptRequest[] = [];
  leftOutCount = 0;

  constructor(options: LoadOptions, room: Room) {
    this.options = options;
    this.#room = room;
  }

  get requests(): readonly KeptRequest[] {
    return this.#requests;
  }

  add(exchange: LoadExchange): void {
    const room = this.#room;
    if (room.requestCount <= 0 || room.textEventCount < exchange.textEventCount) {
      // All later ones as well: a file with holes would say that less was going on than was.
      room.requestCount = 0;
      this.leftOutCount += 1;
      return;
    }
    room.requestCount -= 1;
    room.textEventCount -= exchange.textEventCount;
    this.#requests.push(keptRequest(exchange, this.options.schedule.kind !== 'closed'));
  }

  json(result: LoadResult, place: BenchmarkPlace): object {
    const { startedAtEpochMs, warmupMs, measuredNs, openCount } = result;
    const requests = this.#requests;
    const runStartS = startedAtEpochMs / MS_PER_S;
    const starts = requests.map(({ startS }) => startS);
    const ends = requests.map(({ endS }) => endS);
    const measureStartS = least([runStartS + warmupMs / MS_PER_S, ...starts]);
    // What was left out at the end of a long run is not a time in which nothing happened.
    const stated = this.leftOutCount > 0 ? [] : [measureStartS + measuredNs / NS_PER_S];
    const window = { startS: measureStartS, endS: most([measureStartS, ...stated, ...ends]) };
    const okCount = requests.filter(({ isOk }) => isOk).length;
    const counts = { ok: okCount, errored: requests.length - okCount, open: openCount };
    const firstStartS = warmupMs > 0 || requests.length === 0 ? runStartS : least(starts);
    return {
      type_: 'generative_benchmark',
      config: this.#config(result, place),
      scheduler_state: stateJson(counts, runStartS, window.endS),
      scheduler_metrics: {
        start_time: runStartS,
        request_start_time: firstStartS,
        measure_start_time: window.startS,
        measure_end_time: window.endS,
        request_end_time: most([window.startS, ...ends]),
        end_time: window.endS,
        requests_made: {
          successful: okCount,
          errored: counts.errored,
          incomplete: openCount,
          total: requests.length + openCount,
        },
        ...schedulerMeans(requests),
        dataset_incomplete: this.#hasMore(result),
        strategy_type: strategyJson(this.options)['type_'],
      },
      metrics: metricsJson(requests, window),
      requests: {
        successful: requests.filter(({ isOk }) => isOk).map((one) => requestJson(one, runStartS)),
        incomplete: [],
        errored: requests.filter(({ isOk }) => !isOk).map((one) => requestJson(one, runStartS)),
        total: null,
      },
      warnings: [],
      start_time: window.startS,
      end_time: window.endS,
      duration: window.endS - window.startS,
      warmup_duration: window.startS - firstStartS,
    };
  }

  /** Only a trace comes to an end by itself. */
  #hasMore({ warmupCount, openCount }: LoadResult): boolean {
    const { schedule } = this.options;
    const sentCount = this.#requests.length + this.leftOutCount + warmupCount + openCount;
    return schedule.kind !== 'recorded' || schedule.recorded.length > sentCount;
  }

  #config({ seed, schedule, generator, unsentCount }: LoadResult, { runId, index, step }: BenchmarkPlace): object {
    const { classes, warmupMs } = this.options;
    return {
      id_: randomUUID(),
      run_id: runId,
      run_index: index,
      strategy: strategyJson(this.options),
      constraints: Object.fromEntries(constraintsJson(this.options).map((one) => [one.kind, one])),
      // No text is kept, no interval of confidence is reckoned and no rule of GuideLLM's was tried.
      sample_size: 0,
      confidence: null,
      warnings: [],
      warmup: warmupJson(warmupMs),
      profile: profileJson([this.options]),
      requests: { classes: classes.map(({ name, share }) => ({ name, share })) },
      backend: backendJson(this.options),
      environment: {
        generator: 'rubato load',
        schedule,
        seed,
        ...step,
        unsent_requests: unsentCount,
        warnings: generator.warnings,
      },
    };
  }
}

function stateJson(
  counts: { readonly ok: number; readonly errored: number; readonly open: number },
  startS: number,
  endS: number,
): object {
  const processed = counts.ok + counts.errored;
  return {
    num_processes: 1,
    start_time: startS,
    end_time: endS,
    created_requests: processed + counts.open,
    processed_requests: processed,
    successful_requests: counts.ok,
    errored_requests: counts.errored,
    cancelled_requests: counts.open,
  };
}

/** Only two of its scheduler's steps are ours too: that requests go out late, and how long they take. */
function schedulerMeans(requests: readonly KeptRequest[]): object {
  const mean = (lengths: readonly number[]): number =>
    lengths.length === 0 ? NO_MEAN : lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return {
    generation_delay: NOTHING,
    queued_time_avg: NO_MEAN,
    resolve_start_delay_avg: NO_MEAN,
    resolve_targeted_start_delay_avg: NO_MEAN,
    request_start_delay_avg: NO_MEAN,
    request_targeted_start_delay_avg: mean(
      requests.flatMap(({ dueS, startS }) => (dueS === undefined ? [] : [startS - dueS])),
    ),
    request_time_avg: mean(requests.map(({ startS, endS }) => endS - startS)),
    resolve_end_delay_avg: NO_MEAN,
    resolve_time_avg: NO_MEAN,
    finalized_delay_avg: NO_MEAN,
    processed_delay_avg: NO_MEAN,
  };
}
