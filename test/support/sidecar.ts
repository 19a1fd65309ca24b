// Runs the sidecar as its users do: a process of its own, started by its command line, seen only
// through its ports, its log and its record file.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamRecord } from '../../src/record/stream-record.ts';
import { atTheEnd } from './children.ts';
import { parsePrometheus, type Sample } from './prometheus.ts';
import { KEPT_CODE, NODE, ROOT } from './program.ts';
import { RecordReader, type RecordEntry } from './record-reader.ts';
import { poll, Signal } from './signal.ts';

const START_WAIT_MS = 15_000;
const STOP_WAIT_MS = 10_000;
const RECORD_WAIT_MS = 8_000;

export type { RecordEntry };

export interface SidecarOptions {
  /** Absent when the configuration file names the upstreams. */
  readonly upstream?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What starts Node in its place, such as `prlimit --nofile=200:200`. */
  readonly within?: readonly string[];
  /** Arguments of Node itself, such as `--import`. */
  readonly nodeArgs?: readonly string[];
}

export class Sidecar {
  readonly logs: Record<string, unknown>[] = [];
  /** Lines on stderr or stdout that are not JSON: a stack trace, a warning of Node. */
  readonly noise: string[] = [];
  listenPort = 0;
  adminPort = 0;
  exit: { readonly code: number | null; readonly signal: string | null; readonly atMs: number } | undefined;
  readonly #signal = new Signal();
  readonly #folder: string;
  readonly #records: RecordReader;
  readonly #process: ChildProcess;
  readonly #release: () => void;
  #stopping = false;

  private constructor(options: SidecarOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), 'rubato-wire-'));
    this.#records = new RecordReader(this.recordFile);
    const upstream = options.upstream === undefined ? [] : ['--upstream', options.upstream];
    const ports = ['--listen', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--record', this.recordFile];
    // Engines of tests answer what they were planned to; only who tests it wants questions of rubato's own.
    const quiet = options.args?.includes('--engine-metrics') === true ? [] : ['--engine-metrics', 'off'];
    const command = ['src/main.ts', 'serve', ...upstream, ...ports, ...quiet, ...(options.args ?? [])];
    const args = [...(options.nodeArgs ?? []), ...command];
    const [program = '', ...rest] = [...(options.within ?? []), NODE, ...args];
    this.#process = spawn(program, rest, {
      cwd: ROOT,
      env: { ...plainEnvironment(), ...KEPT_CODE, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#release = atTheEnd(() => this.#process.kill('SIGKILL'));
    this.#collect();
  }

  static async start(options: SidecarOptions): Promise<Sidecar> {
    const sidecar = new Sidecar(options);
    await sidecar.#listening();
    return sidecar;
  }

  get recordFile(): string {
    return join(this.#folder, 'records.jsonl');
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Where it listens before this hop. */
  edgePort(name: string): number {
    const line = this.logs.find((log) => log['msg'] === 'an edge is listening' && log['edge'] === name);
    if (line === undefined) throw new Error(`there is no edge ${name}`);
    return portOf(line['listen']);
  }

  /** Where it takes an engine's spans, once `--otlp-listen` says that it does. */
  get otlpUrl(): string {
    return `http://${String(this.#ready()?.['otlp'])}`;
  }

  /** What is wrong with the process, if anything: for a check after every test. */
  get fault(): string | undefined {
    if (this.exit === undefined || this.#stopping) return undefined;
    return `the sidecar ended (${this.exit.code ?? this.exit.signal}): ${this.#lastWords()}`;
  }

  /** All records so far, in order of their ends. */
  records(): RecordEntry[] {
    return [...this.#records.entries()];
  }

  /** Waits for the one record that matches. */
  record(what: string, matches: (record: StreamRecord) => boolean): Promise<RecordEntry> {
    const look = (): RecordEntry | undefined => this.#records.entries().find((entry) => matches(entry.record));
    return poll(`a record of ${what}`, look, RECORD_WAIT_MS);
  }

  /** Waits until `count` records came after the first `from` ones. */
  async recordsAfter(from: number, count: number): Promise<RecordEntry[]> {
    await poll(
      `${count} more records`,
      () => (this.#records.entries().length >= from + count ? true : undefined),
      RECORD_WAIT_MS,
    );
    return this.records().slice(from);
  }

  /** All records, once there are so many; they are read only then, for they may be long. */
  async untilRecords(count: number, waitMs: number = RECORD_WAIT_MS): Promise<RecordEntry[]> {
    await poll(`${count} records`, () => (this.#records.lineCount() >= count ? true : undefined), waitMs, 100);
    return this.records();
  }

  async admin(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${this.adminPort}${path}`);
    return { status: response.status, text: await response.text() };
  }

  async metrics(): Promise<Sample[]> {
    return parsePrometheus((await this.admin('/metrics')).text);
  }

  /** Memory of the process that is in RAM now. */
  rssBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void {
    this.#stopping = true;
    this.#process.kill(name);
  }

  async untilExit(waitMs: number = STOP_WAIT_MS): Promise<void> {
    await this.#signal.until('the sidecar to exit', () => this.exit !== undefined, waitMs);
  }

  async stop(): Promise<void> {
    this.#release();
    if (this.exit === undefined) {
      // The tests are over and nobody reads the streams any more, so there is nothing to drain.
      this.signal('SIGKILL');
      await this.untilExit();
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #listening(): Promise<void> {
    await this.#signal.until(
      'the sidecar to listen',
      () => this.#ready() !== undefined || this.exit !== undefined,
      START_WAIT_MS,
    );
    const ready = this.#ready();
    if (ready === undefined) throw new Error(`the sidecar did not start: ${this.#lastWords()}`);
    this.listenPort = portOf(ready['listen']);
    this.adminPort = portOf(ready['admin']);
  }

  #ready(): Record<string, unknown> | undefined {
    return this.logs.find((log) => log['msg'] === 'rubato is listening');
  }

  #collect(): void {
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      let rest = '';
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#onLine(line);
        this.#signal.notify();
      });
    }
    this.#process.on('close', (code, signal) => {
      this.exit = { code, signal, atMs: performance.now() };
      this.#signal.notify();
    });
  }

  #onLine(line: string): void {
    if (line.startsWith('{')) this.logs.push(JSON.parse(line) as Record<string, unknown>);
    else if (line !== '') this.noise.push(line);
  }

  #lastWords(): string {
    return [...this.noise.slice(-12), ...this.logs.slice(-5).map((log) => JSON.stringify(log))].join('\n');
  }
}

/** Our own environment without what would switch exporters, colours or proxies on. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(OTEL_|RUBATO_|NODE_|VITEST|.*_proxy$|.*_PROXY$)/.test(name),
  );
  return Object.fromEntries(kept);
}

function portOf(address: unknown): number {
  const port = Number(String(address).split(':').at(-1));
  if (!(port > 0)) throw new Error(`no port in ${String(address)}`);
  return port;
}
