// One run with its line of progress, and where its figures go in the end.
import type { LoadOptions } from '../client/load/options.ts';
import { ProgressLine } from '../client/load/progress.ts';
import type { LoadResult } from '../client/load/result.ts';
import { runLoad } from '../client/load/run-load.ts';
import type { Io } from './io.ts';
import { writeWhole } from './load-files.ts';
import type { LoadFlags } from './load-options.ts';

const NS_PER_MS = 1e6;

/** A run with its line of progress. */
export async function watched(
  options: LoadOptions,
  io: Io,
  title: string,
  onExchange: NonNullable<LoadOptions['listener']['onExchange']>,
): Promise<LoadResult> {
  const { stdout } = io;
  const place = {
    line: io.err,
    ...(stdout.isTTY === true && { redraw: (text: string) => void stdout.write(`\r\u001b[2K${text}`) }),
  };
  const wholeNs = (options.warmupMs + options.durationMs) * NS_PER_MS;
  const progress = new ProgressLine(place, { wholeNs, count: options.count }, title);
  try {
    return await runLoad({
      ...options,
      listener: { onExchange, onProgress: (state) => progress.note(state) },
    });
  } finally {
    progress.end();
  }
}

export function finish(
  flags: LoadFlags,
  io: Io,
  { page, json }: { readonly page: readonly string[]; readonly json: object },
): void {
  if (flags.jsonFile === '-') io.out(JSON.stringify(json));
  else for (const line of page) io.out(line);
  if (flags.jsonFile !== undefined && flags.jsonFile !== '-') writeWhole(flags.jsonFile, `${JSON.stringify(json)}\n`);
}
