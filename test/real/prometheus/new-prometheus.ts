// A Prometheus of this year, built from its Go module: Debian's is older than the receiver for OTLP. Without the
// discovery of clouds, which is most of what would have to be compiled, and without its page for people.
import { goProgram } from '../engine/go.ts';

export function newPrometheus(): Promise<string> {
  return goProgram({
    name: 'prometheus',
    path: 'github.com/prometheus/prometheus/cmd/prometheus',
    // Of the module; the program calls itself 3.16.0.
    version: 'v0.316.0',
    flags: ['-tags', 'remove_all_sd'],
    capMs: 20 * 60_000,
  });
}
