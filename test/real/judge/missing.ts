// What a run tells people beside passing and failing: figures, and in one loud line what it could not test.
import { MissingError } from '../engine/command.ts';

/** The engine, or undefined after a line that nobody overlooks when something it needs cannot be had here. */
export async function orMissing<T>(name: string, start: () => Promise<T>): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    say(`!!!!!!!! NOT TESTED with a real ${name}: ${error.message} !!!!!!!!`);
    return undefined;
  }
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
