// How many tokens came with each event and with each read, where the engine states a running count on
// every event that carries output. One token an event is the exception: speculation, stream intervals,
// parsers that hold text and merged reads all put several into one.
import type { MetricSpec } from '../base/metric-spec.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { valueAt } from './columns.ts';

/** Pairs of a number of tokens (1 or more) and how often it occurred, ascending. */
export type TokenSteps = readonly (readonly [tokens: number, occurrences: number])[];

export interface StreamTokenSteps {
  readonly perEvent: TokenSteps;
  readonly perRead: TokenSteps;
}

/** Absent when any event with output left its count unsaid, or a part of the stream is not in the logs. */
export function tokenSteps(record: StreamRecord, complete: boolean): StreamTokenSteps | undefined {
  const { chunks, events } = record;
  if (!complete) return undefined;
  const perEvent: number[] = [];
  const byRead = new Map<number, number>();
  let before = 0;
  for (let index = 0; index < events.chunk.length; index += 1) {
    const tokens = events.tokensSoFar[index] ?? undefined;
    if (tokens === undefined) {
      if (events.generated[index] !== 0) return undefined;
      continue;
    }
    // A count that falls is no running count.
    if (tokens < before) return undefined;
    if (tokens === before) continue;
    perEvent.push(tokens - before);
    const readAtNs = valueAt(chunks.receivedAtNs, valueAt(events.chunk, index));
    byRead.set(readAtNs, (byRead.get(readAtNs) ?? 0) + tokens - before);
    before = tokens;
  }
  return perEvent.length === 0 ? undefined : { perEvent: counted(perEvent), perRead: counted(byRead.values()) };
}

function counted(steps: Iterable<number>): TokenSteps {
  const occurrences = new Map<number, number>();
  for (const tokens of steps) occurrences.set(tokens, (occurrences.get(tokens) ?? 0) + 1);
  return [...occurrences].toSorted(([one], [other]) => one - other);
}

/** Token counts of one step: speculation gives up to about ten, a stream interval or a held parser more. */
const STEP_BOUNDS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000];

export const EVENT_TOKENS: MetricSpec = {
  name: 'rubato.event.tokens',
  type: 'histogram',
  unit: '{token}',
  help: 'Output tokens of one event; only of streams in which the engine states a running count with every output.',
  labels: [],
  classed: true,
  bounds: STEP_BOUNDS,
};

export const READ_TOKENS: MetricSpec = {
  name: 'rubato.read.tokens',
  type: 'histogram',
  unit: '{token}',
  help:
    'Output tokens of one read (all chunks that came at once); only of streams in which the engine states a running ' +
    'count with every output.',
  labels: [],
  classed: true,
  bounds: STEP_BOUNDS,
};
