// Starts what is measured anew for each value of a setting: runs the user's own command in the user's own shell,
// waits until the endpoint answers, and ends it before the next. What the command prints goes where ours does not.
import { type ChildProcess, spawn } from 'node:child_process';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from './exit-codes.ts';
import { CommandFailure } from './failures.ts';

const LOOK_MS = 250;
/** Answered → believed: a command that finds its port taken has ended by then. */
const SETTLE_MS = 1_000;
const LOOK_TIMEOUT_MS = 2_000;
/** Asked to end → killed. Engines take some seconds to give their memory back. */
const END_MAX_MS = 30_000;
const OK_BELOW = 500;

export interface RestartPlan {
  /** With `{value}` in it. */
  readonly command: string;
  readonly readyUrl: URL;
  readonly readyMaxMs: number;
  readonly insecure: boolean;
}

export class Restarter {
  readonly #plan: RestartPlan;
  readonly #signal: AbortSignal;
  #child: ChildProcess | undefined;

  constructor(plan: RestartPlan, signal: AbortSignal) {
    this.#plan = plan;
    this.#signal = signal;
  }

  /** Resolves when the endpoint answers. `value` has no character that means anything to a shell. */
  async start(value: string): Promise<void> {
    await this.stop();
    const { command, readyUrl, readyMaxMs } = this.#plan;
    const line = command.replaceAll('{value}', value);
    // A group of its own, so that whatever the shell starts ends with it, and Ctrl-C is ours to answer.
    const child = spawn(line, { shell: true, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
    this.#child = child;
    let failed: string | undefined;
    child.on('error', (error) => (failed = error.message));
    // A command that has ended well has started a service elsewhere.
    child.on('exit', (code, signal) => {
      if (code !== 0) failed = `it ended with ${code ?? signal}`;
    });
    for (let waitedMs = 0; waitedMs <= readyMaxMs && !this.#signal.aborted; waitedMs += LOOK_MS) {
      if (failed !== undefined) break;
      await sleep(LOOK_MS);
      if (failed !== undefined || !(await this.#answers())) continue;
      // What answered may be what was there before, in whose place the new one cannot come.
      await sleep(SETTLE_MS);
      if (failed === undefined) return;
    }
    if (this.#signal.aborted) return;
    const why = failed ?? `${readyUrl.href} did not answer within ${readyMaxMs / 1_000} s`;
    await this.stop();
    throw new CommandFailure(
      `The restart command did not bring the endpoint up for "${value}": ${why}.`,
      EXIT.unavailable.code,
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    endGroup(child.pid, 'SIGTERM');
    const isOver = await Promise.race([ended.then(() => true), sleep(END_MAX_MS, false, { ref: false })]);
    if (!isOver) endGroup(child.pid, 'SIGKILL');
    await ended;
  }

  #answers(): Promise<boolean> {
    const { readyUrl, insecure } = this.#plan;
    const options = { agent: false as const, timeout: LOOK_TIMEOUT_MS, rejectUnauthorized: !insecure };
    return new Promise((resolve) => {
      const request = (readyUrl.protocol === 'https:' ? httpsGet : httpGet)(readyUrl, options, (response) => {
        response.resume();
        resolve((response.statusCode ?? OK_BELOW) < OK_BELOW);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(false));
    });
  }
}

function endGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself meanwhile, which is what was wanted.
  }
}
