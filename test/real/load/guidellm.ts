// GuideLLM, the benchmark client of the vLLM project, from PyPI. Installs it, lets its own loader read a report, and
// lets it reckon its figures anew from the moments in it.
import { spawn } from 'node:child_process';
import { installed, type Recipe } from '../engine/cache.ts';
import { atTheEnd } from '../../support/children.ts';
import { killGroup, MissingError, needCommand, runCommand } from '../engine/command.ts';

const VERSION = '0.8.1';
const PACKAGES = new URL('guidellm-packages.txt', import.meta.url).pathname;
const RUN_CAP_MS = 2 * 60_000;
const LAST_WORDS_CHARS = 600;

const RECIPE: Recipe = { name: `guidellm-${VERSION}`, capMs: 8 * 60_000, diskBytes: 2e9, make: install };

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

async function install(folder: string, deadlineAtMs: number): Promise<void> {
  if (process.platform !== 'linux')
    throw new MissingError(`GuideLLM is tried on Linux only, and this is ${process.platform}`);
  const python = await needCommand('python3');
  const run = (command: string, ...args: string[]): Promise<void> =>
    runCommand(command, args, { cwd: folder, deadlineAtMs });
  await run(python, '-m', 'venv', 'client');
  const binary = ['--only-binary', ':all:', '--no-deps', '--quiet', '--no-input'];
  await run('client/bin/python', '-m', 'pip', 'install', ...binary, '-r', PACKAGES);
  await run('client/bin/python', '-c', STAND_IN);
}

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
    return JSON.parse(await this.#python(['-c', READER, path])) as ReadBenchmark[];
  }

  /** Its tables. */
  async show(path: string): Promise<string> {
    return await this.#python(['-m', 'guidellm', 'export', path, '--output', 'kind=console']);
  }

  async #python(args: readonly string[]): Promise<string> {
    const child = spawn(`${this.#folder}/client/bin/python`, args, {
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // As wide as its tables are.
      env: { ...process.env, COLUMNS: '200' },
    });
    const kill = (): void => killGroup(child.pid);
    const release = atTheEnd(kill);
    const cap = setTimeout(kill, RUN_CAP_MS);
    let [out, words] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS_CHARS)));
    const code = await new Promise((resolve) => void child.once('close', resolve));
    clearTimeout(cap);
    release();
    if (code !== 0) throw new Error(`GuideLLM ended with ${String(code)}: ${words}`);
    return out;
  }
}
