// Where the requests of a load go beside its page: the lines and reports that were asked for, and a rubato before the
// engine. Of one run or of several, which differ in one thing each.
import { packageVersion } from '../app/version.ts';
import { CSV_HEAD, csvLine } from '../client/load/csv.ts';
import { type Step, stepLine, type StepRow, stepRows, stepsHead } from '../client/load/csv-steps.ts';
import { aiperfLine } from '../client/load/export-aiperf.ts';
import { GuidellmReport } from '../client/load/guidellm/report.ts';
import type { LoadOptions } from '../client/load/options.ts';
import type { LoadExchange, LoadResult } from '../client/load/result.ts';
import type { Io } from './io.ts';
import { LinesFile, touchFile, writePieces } from './load-files.ts';
import type { LoadFlags } from './load-options.ts';
import type { LoadPeer } from './load-peer.ts';
import { stepPaths } from './load-step-paths.ts';
import { watched } from './load-watch.ts';

export class LoadOutputs {
  readonly #flags: LoadFlags;
  readonly #io: Io;
  /** Of the runs that will come, in their order; none where there is but one. */
  readonly #steps: readonly Step[];
  readonly #guidellm: GuidellmReport | undefined;
  readonly #open: LinesFile<never>[] = [];
  #stepsCsv: LinesFile<StepRow> | undefined;
  #ordinal = 0;
  #saidNoPeer = false;

  /** Throws where a file cannot be written, before anything is sent; leaves what is in it until the first run. */
  constructor(flags: LoadFlags, steps: readonly Step[], io: Io) {
    this.#flags = flags;
    this.#steps = steps;
    this.#io = io;
    const paths = flags.exports.flatMap(({ format, path }) => (format === 'aiperf' ? stepPaths(path, steps) : [path]));
    for (const path of [...paths, flags.csvFile ?? []].flat()) touchFile(path);
    if (this.#pathsOf('guidellm').length > 0) this.#guidellm = new GuidellmReport(packageVersion());
  }

  /** One run with its line of progress, the next of the steps where there are several. */
  async run(options: LoadOptions, title: string): Promise<LoadResult> {
    const step = this.#steps[this.#ordinal];
    const peer = await this.#peer();
    const files = this.#begin();
    const benchmark = this.#guidellm?.begin(options);
    const measured = await watched(options, this.#io, title, (exchange) => {
      for (const file of files) file.add(exchange);
      benchmark?.add(exchange);
      peer?.add(exchange);
    });
    const seen = await peer?.finish();
    const result: LoadResult = seen === undefined ? measured : { ...measured, peer: seen };
    const sweep: Readonly<Record<string, string>> = step === undefined ? {} : { [step.name]: step.value };
    if (benchmark !== undefined) this.#guidellm?.end({ benchmark, result, step: sweep });
    if (step !== undefined) for (const row of stepRows(step.value, result)) this.#stepsCsv?.add(row);
    return result;
  }

  /** Behind the page: a disk that is full costs no figures. */
  close(): void {
    this.#writeGuidellm();
    for (const file of this.#open.splice(0)) file.close();
  }

  #begin(): LinesFile<LoadExchange>[] {
    const { csvFile } = this.#flags;
    const [first] = this.#steps;
    const files = this.#pathsOf('aiperf').map(
      (path) => new LinesFile(stepPaths(path, this.#steps)[this.#ordinal] ?? path, aiperfLine),
    );
    if (csvFile !== undefined && first === undefined) files.push(new LinesFile(csvFile, csvLine, CSV_HEAD));
    if (csvFile !== undefined && first !== undefined && this.#stepsCsv === undefined) {
      this.#stepsCsv = new LinesFile(csvFile, stepLine, stepsHead(first.name));
      this.#open.push(this.#stepsCsv);
    }
    this.#open.push(...files);
    this.#ordinal += 1;
    return files;
  }

  async #peer(): Promise<LoadPeer | undefined> {
    const { peer, tls } = this.#flags;
    if (peer === undefined) return undefined;
    // Loaded only now: most loads ask no peer.
    const { LoadPeer: Peer } = await import('./load-peer.ts');
    const made = new Peer(peer, tls);
    if (!(await made.start()) && !this.#saidNoPeer) {
      this.#saidNoPeer = true;
      this.#io.err(`No rubato answers at ${peer.admin.origin}.`);
    }
    return made;
  }

  #writeGuidellm(): void {
    // Where not even the first run began, what went wrong is told already.
    if (this.#ordinal === 0) return;
    for (const path of this.#pathsOf('guidellm')) {
      const pieces = this.#guidellm?.pieces();
      const leftOutCount = this.#guidellm?.leftOutCount ?? 0;
      if (pieces === undefined) {
        this.#io.err(`${path}: not written, for no request was counted.`);
        continue;
      }
      writePieces(path, pieces);
      if (leftOutCount > 0) this.#io.err(`${path}: the last ${leftOutCount} requests were too many for it.`);
    }
  }

  #pathsOf(format: LoadFlags['exports'][number]['format']): string[] {
    return this.#flags.exports.filter((one) => one.format === format).map(({ path }) => path);
  }
}
