// Names of files of which each step of a sweep has one of its own. Pure.
import { format, parse } from 'node:path';
import type { Step } from '../client/load/csv-steps.ts';

/** `run.jsonl` → `run-concurrency-4.jsonl`, one for each step; the path itself where there are no steps. */
export function stepPaths(path: string, steps: readonly Step[]): string[] {
  if (steps.length === 0) return [path];
  const { dir, name, ext } = parse(path);
  const taken = new Set<string>();
  return steps.map((step) => {
    // A value may hold what is no part of a name, and may come twice.
    const plain = `${name}-${step.name}-${step.value.replaceAll(/[^A-Za-z0-9_.+-]/g, '_')}`;
    let unique = plain;
    for (let ordinal = 2; taken.has(unique); ordinal += 1) unique = `${plain}-${ordinal}`;
    taken.add(unique);
    return format({ dir, name: unique, ext });
  });
}
