// The report file of GuideLLM (its `GenerativeBenchmarksReport` of version 2, guidellm 0.8.1), which
// `guidellm export` shows: one benchmark a run. Knows no file.
import { randomUUID } from 'node:crypto';
import { arch, release, type } from 'node:os';
import { LOAD_GUIDELLM_EVENTS_MAX_COUNT, LOAD_GUIDELLM_MAX_COUNT } from '../../../base/load-limits.ts';
import type { LoadOptions } from '../options.ts';
import type { LoadResult } from '../result.ts';
import { GuidellmBenchmark } from './benchmark.ts';
import { backendJson, constraintsJson, dataJson, profileJson } from './config.ts';

const SCHEMA_VERSION = 2;

interface Ended {
  readonly benchmark: GuidellmBenchmark;
  readonly result: LoadResult;
  readonly step: Readonly<Record<string, string>>;
}

export class GuidellmReport {
  readonly #room = { requestCount: LOAD_GUIDELLM_MAX_COUNT, textEventCount: LOAD_GUIDELLM_EVENTS_MAX_COUNT };
  readonly #runs: Ended[] = [];
  readonly #version: string;

  /** That of rubato, which stands where GuideLLM has its own. */
  constructor(version: string) {
    this.#version = version;
  }

  begin(options: LoadOptions): GuidellmBenchmark {
    return new GuidellmBenchmark(options, this.#room);
  }

  /** `step` is what sets this run apart from the others, by its name; empty where there is but one. */
  end(ended: Ended): void {
    this.#runs.push(ended);
  }

  /** Requests that are in no benchmark, since a file is read in one piece. */
  get leftOutCount(): number {
    return this.#runs.reduce((sum, { benchmark }) => sum + benchmark.leftOutCount, 0);
  }

  /** The file in pieces, for the whole may be longer than a string can be; undefined where nothing was measured. */
  pieces(): Iterable<string> | undefined {
    const options = this.#runs.map(({ benchmark }) => benchmark.options);
    const [first] = options;
    const requests = this.#runs.flatMap(({ benchmark }) => benchmark.requests);
    if (first === undefined || requests.length === 0) return undefined;
    const spec = {
      backend: backendJson(first),
      profile: profileJson(options),
      constraints: constraintsJson(first),
      data: [dataJson(requests)],
      seed: { kind: 'static', value: first.seed },
      outputs: [],
      metrics: { kind: 'generative', sample_size: 0, confidence: null, warnings: [] },
    };
    const labels = { writer: 'rubato load', schedule: first.scheduleText };
    return this.#write({ metadata: { labels }, spec, benchmarks: [null] });
  }

  *#write(config: object): Generator<string> {
    const metadata = {
      version: SCHEMA_VERSION,
      guidellm_version: `rubato ${this.#version}`,
      // None has run; without the field its reader would put its own in.
      python_version: '',
      platform: `${type()} ${release()} ${arch()}`,
    };
    const runId = randomUUID();
    yield `{"metadata":${JSON.stringify(metadata)},"config":${JSON.stringify(config)},"benchmarks":[`;
    for (const [index, { benchmark, result, step }] of this.#runs.entries())
      yield `${index > 0 ? ',' : ''}${JSON.stringify(benchmark.json(result, { runId, index, step }))}`;
    yield '],"conclusions":[]}\n';
  }
}
