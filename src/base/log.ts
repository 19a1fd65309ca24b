// The one file that knows the logging library. Lines are JSON on stderr, written in the background
// and bounded: a stuck terminal costs lines, which are counted, never a wait or memory.
// A line takes flat fields only, so that no body, header or key can slip in with an object.
import { pino } from 'pino';
import { LineWriter } from './line-writer.ts';
import { LOG_FIELD_MAX_CHARS } from './limits.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields of one line. Names are snake_case and end in their unit. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes what waits before it returns; for the last moments of a process. */
  flushSync(): void;
  /** Lines lost because the reader of the log did not keep up or went away. */
  droppedCount(): number;
}

/** The process's own log, whose level may change. */
export interface ProcessLog extends Log {
  setLevel(level: LogLevel): void;
}

const STDERR = 2;

/** A log with every line at `level` and above; `fd` is for those who capture it. */
export function createLog(options: { readonly level: LogLevel; readonly fd?: number }): ProcessLog {
  const out = new LineWriter(options.fd ?? STDERR);
  const lines = pino(
    {
      level: options.level,
      base: { service: 'rubato', pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  return {
    debug: (message, fields) => lines.debug(bounded(fields), message),
    info: (message, fields) => lines.info(bounded(fields), message),
    warn: (message, fields) => lines.warn(bounded(fields), message),
    error: (message, fields) => lines.error(bounded(fields), message),
    flushSync: () => out.flushSync(),
    droppedCount: () => out.droppedCount,
    setLevel(level) {
      lines.level = level;
    },
  };
}

/** What a line may say of a fault: its code, and a short text for the operator. */
export function faultFields(fault: unknown): LogFields {
  if (!(fault instanceof Error)) return { fault: String(fault) };
  const code = 'code' in fault ? String(fault.code) : undefined;
  // V8 quotes the text that is no JSON, and that may be anybody's.
  const message = fault instanceof SyntaxError ? 'the text is not valid' : fault.message;
  return { fault: message, fault_name: fault.name, ...(code !== undefined && { fault_code: code }) };
}

/** Texts cut to a fixed length: an error message may quote what came over the wire. */
function bounded(fields: LogFields | undefined): LogFields {
  const result: Record<string, string | number | boolean | undefined> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    result[name] = typeof value === 'string' ? value.slice(0, LOG_FIELD_MAX_CHARS) : value;
  }
  return result;
}
