// A real Prometheus, with one target or with what is sent to it, and rules that it evaluates itself, asked by its API.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { EngineProcess, flags } from '../engine/engine-process.ts';

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atEpochS: number, value: string];
}

export interface Exemplars {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: string }[];
}

export interface RuleState {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly lastEvaluation: string;
}

export interface PrometheusOptions {
  /** Default Debian's, which is found by its name. */
  readonly program?: string;
  /** HOST:PORT to scrape each second, and whether `job` and `instance` are those that the target says. */
  readonly scrape?: { readonly target: string; readonly honorLabels: boolean };
  /** Further flags, such as those that have it take what is sent. */
  readonly args?: readonly string[];
  /** A file of rules, as text. */
  readonly rules: string;
}

export class Prometheus {
  readonly #process: EngineProcess;

  private constructor(process: EngineProcess) {
    this.#process = process;
  }

  static async start({ program = 'prometheus', scrape, args = [], rules }: PrometheusOptions): Promise<Prometheus> {
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: scrape === undefined ? [] : [jobOf(scrape)],
    };
    const process = await EngineProcess.start(
      {
        command: program,
        args: (port, folder) => [
          ...flags({
            'config.file': join(folder, 'prometheus.yml'),
            'storage.tsdb.path': join(folder, 'data'),
            'web.listen-address': `127.0.0.1:${port}`,
            'enable-feature': 'exemplar-storage',
          }),
          ...args,
        ],
        healthPath: '/-/ready',
        startCapMs: 60_000,
      },
      (folder) => {
        writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
        writeFileSync(join(folder, 'rules.yml'), rules);
      },
    );
    return new Prometheus(process);
  }

  get url(): string {
    return this.#process.url;
  }

  /** An instant query; what Prometheus refuses is thrown in its own words. */
  async query(expr: string, atEpochS?: number): Promise<Series[]> {
    const time: Record<string, string> = atEpochS === undefined ? {} : { time: String(atEpochS) };
    const { result } = await this.#ask<{ result: Series[] }>('query', { query: expr, ...time });
    return result;
  }

  exemplars(expr: string, [startS, endS]: readonly [number, number]): Promise<Exemplars[]> {
    return this.#ask('query_exemplars', { query: expr, start: String(startS), end: String(endS) });
  }

  async rules(): Promise<RuleState[]> {
    const { groups } = await this.#ask<{ groups: { rules: RuleState[] }[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async #ask<Data>(what: string, parameters: Readonly<Record<string, string>>): Promise<Data> {
    const url = `${this.#process.url}/api/v1/${what}?${new URLSearchParams(parameters).toString()}`;
    const answer = (await (await fetch(url)).json()) as { status: string; data: Data; error?: string };
    if (answer.status !== 'success') throw new Error(`${answer.error}: ${Object.values(parameters)[0]}`);
    return answer.data;
  }
}

function jobOf({ target, honorLabels }: NonNullable<PrometheusOptions['scrape']>): object {
  return { job_name: 'rubato', honor_labels: honorLabels, static_configs: [{ targets: [target] }] };
}
