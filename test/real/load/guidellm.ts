// GuideLLM, the benchmark client of the vLLM project, from PyPI. Installs it, lets its own loader read a report, and
// lets it reckon its figures anew from the moments in it.
import { installed, type Recipe } from '../engine/cache.ts';
import { installClient, type PythonClient, runClient } from './python-client.ts';

const VERSION = '0.8.1';
const CLIENT: PythonClient = {
  name: 'GuideLLM',
  packages: new URL('guidellm-packages.txt', import.meta.url).pathname,
  capMs: 2 * 60_000,
  // As wide as its tables are.
  env: { COLUMNS: '200' },
};

const RECIPE: Recipe = {
  name: `guidellm-${VERSION}`,
  capMs: 8 * 60_000,
  diskBytes: 2e9,
  make: (folder, deadlineAtMs) => installClient(CLIENT, folder, deadlineAtMs, ['-c', STAND_IN]),
};

/** It imports torch for what loads data sets, two classes of it, and never here: gigabytes that nothing would use. */
const STAND_IN = `
import pathlib, site
data = pathlib.Path(site.getsitepackages()[0], "torch", "utils", "data")
data.mkdir(parents=True)
for folder in (data, data.parent, data.parent.parent):
    (folder / "__init__.py").write_text("")
for name, made in (("dataloader", "DataLoader"), ("dataset", "IterableDataset")):
    text = f"class {made}:\\n    def __class_getitem__(cls, item):\\n        return cls\\n"
    (data / f"{name}.py").write_text(text)
`;

/**
 * What it reads, and what it reckons itself of the same requests: the code that ends a benchmark of its own, given
 * the requests of the report in the place of those that it gathered.
 */
const READER = `
import json, sys
from types import SimpleNamespace
from guidellm.benchmark.schemas import GenerativeBenchmarksReport, GenerativeMetrics

class Requests(list):
    def get_within_range(self, *_, **__):
        return self

def reckoned(benchmark):
    timings = SimpleNamespace(
        finalized_measure_start=benchmark.start_time, finalized_measure_end=benchmark.end_time
    )
    return GenerativeMetrics.compile(SimpleNamespace(
        timings=timings,
        config=benchmark.config,
        completed=Requests(benchmark.requests.successful),
        incomplete=Requests(),
        errored=Requests(benchmark.requests.errored),
    ))

report = GenerativeBenchmarksReport.load_file(sys.argv[1])
print(json.dumps([
    {
        "strategy": str(benchmark.config.strategy),
        "read": benchmark.metrics.model_dump(mode="json"),
        "reckoned": reckoned(benchmark).model_dump(mode="json"),
    }
    for benchmark in report.benchmarks
]))
`;

/** A tree of figures; nobody needs its names here. */
export interface Tree {
  readonly [name: string]: Tree | number | string | boolean | null | undefined;
}

export interface ReadBenchmark {
  /** Its own name for how the requests were sent. */
  readonly strategy: string;
  /** Figures as its loader has them. */
  readonly read: Tree;
  /** What it makes itself of the requests. */
  readonly reckoned: Tree;
}

export class Guidellm {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async get(): Promise<Guidellm> {
    return new Guidellm(await installed(RECIPE));
  }

  /** Throws where its loader refuses the file. */
  async read(path: string): Promise<ReadBenchmark[]> {
    return JSON.parse(await runClient(CLIENT, this.#folder, ['-c', READER, path])) as ReadBenchmark[];
  }

  /** Its tables. */
  async show(path: string): Promise<string> {
    return await runClient(CLIENT, this.#folder, ['-m', 'guidellm', 'export', path, '--output', 'kind=console']);
  }
}
