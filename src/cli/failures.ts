// Turns what went wrong into one plain message and an exit code. Knows system error codes, nothing
// of what the command was doing.
import { EXIT } from './exit-codes.ts';

/** A fault the user can do something about; its message is the whole explanation. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

export function configurationFailure(faults: readonly string[]): CommandFailure {
  return startFailure('its configuration', faults);
}

/** For commands that have no configuration beyond their flags. */
export function usageFailure(faults: readonly string[]): CommandFailure {
  return startFailure('the command line', faults);
}

function startFailure(place: string, faults: readonly string[]): CommandFailure {
  const count = faults.length === 1 ? 'one thing is' : `${faults.length} things are`;
  const list = faults.map((fault) => `  - ${fault}`).join('\n');
  return new CommandFailure(
    `rubato did not start, because ${count} wrong with ${place}:\n${list}`,
    EXIT.configuration.code,
  );
}

export interface ListenPlace {
  readonly flag: string;
  readonly host: string;
  readonly port: number;
  /** What the flag's value has behind the address. */
  readonly rest?: string;
}

interface SystemError extends Error {
  readonly code?: string;
  readonly port?: number;
}

/** A port that cannot be had, told with the flag that moves it; undefined for any other error. */
export function listenFailure(error: unknown, places: readonly ListenPlace[]): CommandFailure | undefined {
  const { code, port } = error as SystemError;
  const named = places.filter((place) => place.port === port);
  const about = named.length > 0 ? named : places;
  const where = about.map((place) => `${place.host}:${place.port}`).join(' or ');
  const flags = about.map((place) => `${place.flag} ${place.host}:PORT${place.rest ?? ''}`).join(' or ');
  const names = about.map((place) => place.flag).join(' or ');
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${where} is in use by another program. Stop that program, or choose another port with ${flags}.`,
    EACCES: `This user may not listen on ${where}; ports below 1024 are usually reserved. Choose another port with ${flags}.`,
    EADDRNOTAVAIL: `${where} is no address of this machine. Choose one with ${names}, such as 127.0.0.1, or 0.0.0.0 for all.`,
    ENOTFOUND: `The host name of ${where} cannot be resolved. Choose an address with ${names}, such as 127.0.0.1.`,
  };
  const sentence = code === undefined ? undefined : sentences[code];
  return sentence === undefined
    ? undefined
    : new CommandFailure(`rubato did not start: ${sentence}`, EXIT.unavailable.code);
}

/** A file that cannot be read, in words; undefined for any other error. */
export function readFailure(path: string, error: unknown): CommandFailure | undefined {
  const { code } = error as SystemError;
  if (code === undefined) return undefined;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    EACCES: 'this user may not read it',
    Z_BUF_ERROR: 'it is compressed and was cut off',
    Z_DATA_ERROR: 'it is compressed and damaged',
  };
  const reason = reasons[code] ?? code;
  return new CommandFailure(`Cannot read ${path}: ${reason}. Check the path and try again.`, EXIT.configuration.code);
}

/** What cannot be written, in words. */
export function writeFailure(path: string, error: unknown, cure = ''): CommandFailure {
  const { code = 'unknown' } = error as SystemError;
  return new CommandFailure(`Cannot write ${path}: ${code}.${cure}`, EXIT.unavailable.code);
}

/** Anything unexpected: our own fault, with what a report needs. */
export function describeInternal(error: unknown): string {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `rubato failed by a fault of its own. Please report it with these lines:\n${detail}`;
}
