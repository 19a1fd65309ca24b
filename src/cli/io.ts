// What a command may touch of the process. Tests hand in their own.
import type { Signals } from './signals.ts';

export interface Io {
  /** What the command was asked for. */
  readonly out: (text: string) => void;
  /** The same as a stream, for what redraws its line on a terminal. */
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  /** Notes and faults. */
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execArgv: readonly string[];
  readonly platform: string;
  /** Signals that were listened to before the command was loaded. */
  readonly signals?: Signals;
}

export function processIo(signals: Signals | undefined): Io {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    stdout: process.stdout,
    err: (text) => void process.stderr.write(`${text}\n`),
    env: process.env,
    execArgv: process.execArgv,
    platform: process.platform,
    ...(signals && { signals }),
  };
}
