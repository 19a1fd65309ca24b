// The guide as something that can be run: its blocks of commands in their order, and terminals to type them into.
// Knows how the guide is written, and not what its steps are about.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { atTheEnd } from '../../support/children.ts';
import { Signal } from '../../support/signal.ts';
import { killGroup } from '../engine/command.ts';

export interface Block {
  /** Number in the heading of its step. */
  readonly step: number;
  readonly staysUp: boolean;
  readonly commands: string;
}

const HEADING = /^### (\d+)\. /;
const FENCE = '```';

/** Blocks of shell commands below numbered headings. Each begins with a comment that names its terminal. */
export function readGuide(file: string): Block[] {
  const blocks: Block[] = [];
  let step = 0;
  let lines: string[] | undefined;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    step = Number(HEADING.exec(line)?.[1] ?? step);
    if (lines === undefined) lines = line === `${FENCE}sh` ? [] : undefined;
    else if (line !== FENCE) lines.push(line);
    else {
      const terminal = /^# terminal \d(?<staysUp>, stays up)?$/.exec(lines[0] ?? '');
      // Other blocks of the same page are none of its steps.
      if (terminal)
        blocks.push({ step, staysUp: terminal.groups?.['staysUp'] !== undefined, commands: lines.join('\n') });
      lines = undefined;
    }
  }
  return blocks;
}

/** Ports that stand in the guide, and those that are free on this machine. */
export function withPorts(commands: string, ports: Readonly<Record<string, number>>): string {
  return commands.replaceAll(/127\.0\.0\.1:(\d+)/g, (address, port: string) => {
    return ports[port] === undefined ? address : `127.0.0.1:${ports[port]}`;
  });
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A shell that runs one block. */
export class Terminal {
  text = '';
  readonly #process: ChildProcess;
  readonly #signal = new Signal();
  readonly #release: () => void;
  #exit: { readonly code: number | null } | undefined;

  constructor(commands: string, { cwd, env }: TerminalOptions) {
    this.#process = spawn('bash', ['-c', commands], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#release = atTheEnd(() => killGroup(this.#process.pid));
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
        this.#signal.notify();
      });
    }
    this.#process.once('close', (code) => {
      this.#exit = { code };
      this.#release();
      this.#signal.notify();
    });
  }

  /** Waits for words on the screen. */
  async shows(words: RegExp, waitMs: number): Promise<RegExpExecArray> {
    const look = (): RegExpExecArray | null => words.exec(this.text);
    await this.#signal.until(`${words} on the screen`, () => look() !== null || this.#exit !== undefined, waitMs);
    const found = look();
    if (found === null) throw new Error(`it ended (${this.#exit?.code}) without ${words}: ${this.#lastWords()}`);
    return found;
  }

  async exitCode(waitMs: number): Promise<number | null> {
    await this.#signal.until(`an end of: ${this.#lastWords()}`, () => this.#exit !== undefined, waitMs);
    return this.#exit?.code ?? null;
  }

  /** Ctrl-C, which every process of the terminal hears. */
  async interrupt(waitMs: number): Promise<void> {
    if (this.#exit === undefined) process.kill(-(this.#process.pid ?? 0), 'SIGINT');
    await this.exitCode(waitMs);
  }

  kill(): void {
    if (this.#exit === undefined) killGroup(this.#process.pid);
  }

  #lastWords(): string {
    return this.text.trim().split('\n').slice(-12).join('\n');
  }
}
