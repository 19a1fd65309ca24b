// Starts a hop from its recipe as a process of its own, waits until it serves, and ends it. It ends only what
// it started: the process group of its own child.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowNs } from '../../base/clock.ts';
import { HOP_LAST_WORDS_CHARS } from '../../base/limits.ts';
import { freePort } from './free-port.ts';
import { recipeFolder, type HopChoice } from './load.ts';
import type { ReadyCheck } from './recipe.ts';
import { fill, fillWorkFolder, makeWorkFolder, type Placeholders } from './work-folder.ts';

const NS_PER_MS = 1e6;
const READY_WAIT_MS = 60_000;
const READY_LOOK_MS = 50;
const STOP_WAIT_MS = 5_000;
const VERSION_WAIT_MS = 60_000;
/** `nobody` on Linux distributions and the BSDs alike. */
const NOBODY = 65_534;

export interface HopStart {
  readonly upstreamPort: number;
  /** Default loopback. */
  readonly upstreamHost?: string;
  /** Default: a port that is free. */
  readonly listenPort?: number;
  /** Default: this process's own. Its PATH says where programs are looked for. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

export interface RunningHop {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** What requests through it need; placeholders are filled in. */
  readonly request: {
    readonly path: string;
    readonly model?: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  stop(): Promise<void>;
}

/** The product is not on this machine. */
export class HopMissing extends Error {}

/** What the product calls its version. Throws {@link HopMissing} when it is not there. */
export async function hopVersion(hop: HopChoice, env: Readonly<NodeJS.ProcessEnv> = process.env): Promise<string> {
  const [program = '', ...args] = hop.recipe.version;
  const options = { env: withSbin(env), timeout: VERSION_WAIT_MS };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(/\d+(?:\.\d+)+/.exec(`${stdout} ${stderr}`)?.[0] ?? 'unknown');
      else reject(new HopMissing(`${hop.recipe.title} is not installed (${hop.recipe.install}).`, { cause: error }));
    });
  });
}

/** Rejects when the product is missing, ends at once, or does not serve in time; leaves nothing behind then. */
export async function startHop(hop: HopChoice, start: HopStart): Promise<RunningHop> {
  const env = start.env ?? process.env;
  await hopVersion(hop, env);
  const port = start.listenPort ?? (await freePort());
  const placeholders = {
    UPSTREAM_HOST: start.upstreamHost ?? '127.0.0.1',
    UPSTREAM_PORT: String(start.upstreamPort),
    LISTEN_PORT: String(port),
    SIDE_PORT: String(await freePort()),
    WORK_DIR: makeWorkFolder(),
  };
  const owner = hop.recipe.dropRoot && process.getuid?.() === 0 ? NOBODY : undefined;
  fillWorkFolder(hop.variant.files, recipeFolder(hop.recipe.product), placeholders, owner);
  const running = new HopProcess(hop, placeholders, env, owner);
  try {
    await running.ready(hop.variant.ready, port);
  } catch (error) {
    await running.stop();
    throw error;
  }
  const { path, headers, ...rest } = hop.variant.request;
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, placeholders)]);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: running.pid,
    request: { path, headers: Object.fromEntries(filled) as Record<string, string>, ...rest },
    stop: () => running.stop(),
  };
}

class HopProcess {
  readonly #name: string;
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #words = '';
  #isOver = false;

  constructor(hop: HopChoice, placeholders: Placeholders, env: Readonly<NodeJS.ProcessEnv>, owner: number | undefined) {
    const { command, env: own } = hop.variant;
    const [program = '', ...args] = command.map((each) => fill(each, placeholders));
    const set = Object.entries(own).map(([name, value]) => [name, fill(value, placeholders)]);
    this.#name = hop.name;
    this.#folder = placeholders.WORK_DIR;
    this.#process = spawn(program, args, {
      cwd: this.#folder,
      env: { ...withSbin(env), ...(Object.fromEntries(set) as Record<string, string>) },
      // A group of its own: servers have workers, and all of them end together.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(owner === undefined ? {} : { uid: owner, gid: owner }),
    });
    const keep = (bytes: Buffer): void => {
      this.#words = `${this.#words}${bytes.toString()}`.slice(-HOP_LAST_WORDS_CHARS);
    };
    this.#process.stdout?.on('data', keep);
    this.#process.stderr?.on('data', keep);
    this.#ended = new Promise((resolve) => {
      const over = (): void => {
        this.#isOver = true;
        resolve();
      };
      this.#process.once('exit', over);
      this.#process.once('error', (error) => {
        this.#words = `${this.#words}${error.message}`;
        over();
      });
    });
    // Whoever is stopped half-way leaves no server behind.
    process.once('exit', this.#killNow);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async ready(check: ReadyCheck, port: number): Promise<void> {
    const untilNs = nowNs() + READY_WAIT_MS * NS_PER_MS;
    while (!(await serves(check, port))) {
      if (this.#isOver) throw new Error(`${this.#name} ended before it served: ${this.#lastWords()}`);
      if (nowNs() > untilNs) throw new Error(`${this.#name} does not serve in time: ${this.#lastWords()}`);
      await sleep(READY_LOOK_MS);
    }
  }

  /** What it said last, on its outputs and in the log that servers without them keep. */
  #lastWords(): string {
    const log = join(this.#folder, 'error.log');
    const logged = existsSync(log) ? readFileSync(log, 'utf8').slice(-HOP_LAST_WORDS_CHARS) : '';
    return `${this.#words}${logged}`.trim();
  }

  async stop(): Promise<void> {
    process.off('exit', this.#killNow);
    this.#signalGroup('SIGTERM');
    await Promise.race([this.#ended, sleep(STOP_WAIT_MS, undefined, { ref: false })]);
    // Workers that outlive their parent as well.
    this.#signalGroup('SIGKILL');
    await this.#ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #killNow = (): void => {
    this.#signalGroup('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  #signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#process.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Debian puts servers where the PATH of people does not lead. */
function withSbin(env: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  return { ...env, PATH: `${env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin` };
}

async function serves(check: ReadyCheck, port: number): Promise<boolean> {
  if (check === 'tcp') return opens(port);
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: check.path, agent: false, timeout: 2_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

function opens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
