// A real engine as a process of its own: started on a free port, waited for until it is healthy, its log
// in a file, and ended with all its children.
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/client/hops/free-port.ts';
import { atTheEnd } from '../../support/children.ts';
import { poll } from '../../support/signal.ts';
import { killGroup, MissingError } from './command.ts';

export interface EngineCommand {
  readonly command: string;
  readonly args: (port: number, folder: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Path that answers 200 once requests are taken. */
  readonly healthPath: string;
  readonly startCapMs: number;
}

export class EngineProcess {
  readonly port: number;
  /** Scratch folder of this engine; gone when it is stopped. */
  readonly folder: string;
  readonly #process: ChildProcess;
  readonly #release: () => void;
  #ended = false;

  private constructor(port: number, folder: string, { command, args, env }: EngineCommand) {
    this.port = port;
    this.folder = folder;
    const log = openSync(this.#logFile, 'w');
    this.#process = spawn(command, args(port, folder), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    this.#process.once('close', () => (this.#ended = true));
    this.#process.once('error', () => (this.#ended = true));
    this.#release = atTheEnd(this.#kill);
  }

  static async start(what: EngineCommand, prepare: (folder: string) => void | Promise<void>): Promise<EngineProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'rubato-real-'));
    await prepare(folder);
    const engine = new EngineProcess(await freePort(), folder, what);
    try {
      await poll('a healthy engine', () => engine.#look(what.healthPath), what.startCapMs, 200);
    } catch (error) {
      const words = engine.log().trim().split('\n').slice(-4).join(' | ');
      await engine.stop();
      throw new MissingError(`the engine did not start (${(error as Error).message}): ${words}`, { cause: error });
    }
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  async stop(): Promise<void> {
    this.#release();
    this.#kill();
    await poll('the engine to end', () => (this.#ended ? true : undefined));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #look(path: string): Promise<true | undefined> {
    if (this.#ended) throw new Error('it ended');
    const response = await fetch(this.url + path).catch(() => undefined);
    return response?.ok === true ? true : undefined;
  }

  get #logFile(): string {
    return join(this.folder, 'engine.log');
  }

  readonly #kill = (): void => killGroup(this.#process.pid);
}

/** Options with values, as command lines have them. */
export function flags(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
}
