#!/usr/bin/env node
// The program's entry: one command line in, one exit code out.
import { processIo } from './cli/io.ts';
import { Signals } from './cli/signals.ts';

/** After a command is done, a reader that does not read holds the process open so long at most. */
const LINGER_MS = 1_000;

// A reader that went away, as in `rubato replay FILE | head`, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// Nor may a log pipe that goes away end a sidecar, should Node itself have something to say there.
process.stderr.on('error', () => undefined);

const args = process.argv.slice(2);
// Everything else is loaded only behind this: it takes long enough for a signal to come meanwhile.
const signals = args[0] === 'serve' ? new Signals() : undefined;
const { runCommandLine } = await import('./cli/program.ts');
process.exitCode = await runCommandLine(args, processIo(signals));
// What was written leaves first; nothing else is waited for, least of all connections of telemetry.
setTimeout(() => process.exit(), LINGER_MS);
await Promise.all([process.stdout, process.stderr].map((stream) => written(stream)));
process.exit();

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
