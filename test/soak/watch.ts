// What a sidecar holds, seen from outside at a quiet moment: memory, sockets, series, and what each of its
// threads waits for; and whether one look holds more than another.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { socketCountOf } from '../support/open-sockets.ts';
import { parsePrometheus, type Sample } from '../support/prometheus.ts';
import type { Sidecar } from '../support/sidecar.ts';

const MIB = 1024 * 1024;
/** Sockets that come and go by themselves: scrapes, and the collector's connections. */
const SOCKETS_SLACK_COUNT = 6;
const RESOURCES_SLACK_COUNT = 6;
/** V8 gives memory back late, and what was last is kept: 200 exchanges with their chunks, spans, gaps. */
const RSS_SLACK_BYTES = 48 * MIB;

export interface Holding {
  readonly rssBytes: number;
  readonly socketCount: number;
  readonly seriesCount: number;
  /** By thread and kind of resource. */
  readonly resources: Readonly<Record<string, number>>;
  readonly samples: readonly Sample[];
}

export async function lookAt(sidecar: Sidecar, folder: string): Promise<Holding> {
  const samples = parsePrometheus((await sidecar.admin('/metrics')).text);
  const resources: Record<string, number> = {};
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { counts } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { counts: Record<string, number> };
    for (const [type, count] of Object.entries(counts)) resources[type] = (resources[type] ?? 0) + count;
  }
  return {
    rssBytes: sidecar.rssBytes(),
    socketCount: socketCountOf(sidecar.pid),
    seriesCount: samples.length,
    resources,
    samples,
  };
}

/** What `after` holds more than `before` may be forgotten; empty when nothing has grown. */
export function growthOf(before: Holding, after: Holding): string[] {
  const faults: string[] = [];
  const grew = (what: string, was: number, is: number, slack: number): void => {
    if (is > was + slack) faults.push(`${what} grew from ${was} to ${is}`);
  };
  grew('resident memory', before.rssBytes, after.rssBytes, RSS_SLACK_BYTES);
  grew('sockets', before.socketCount, after.socketCount, SOCKETS_SLACK_COUNT);
  faults.push(...newSeries(before.samples, after.samples));
  for (const [type, count] of Object.entries(after.resources)) {
    grew(`resources of kind ${type}`, before.resources[type] ?? 0, count, RESOURCES_SLACK_COUNT);
  }
  return faults;
}

/**
 * Series that a label value has made which was not there before: names from requests would make them without end. One
 * whose values were all known is a combination of closed sets that had not come up yet.
 */
function newSeries(before: readonly Sample[], after: readonly Sample[]): string[] {
  const keysOf = ({ name, labels }: Sample): string[] =>
    Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .concat(name);
  const known = new Set(before.flatMap((sample) => keysOf(sample)));
  return after.flatMap((sample) => {
    const fresh = keysOf(sample).filter((key) => !known.has(key));
    return fresh.length === 0 ? [] : [`a series was added: ${sample.name} by ${fresh.join(', ')}`];
  });
}

export function holdingText({ rssBytes, socketCount, seriesCount, resources }: Holding): string {
  const held = Object.values(resources).reduce((sum, count) => sum + count, 0);
  return `${Math.round(rssBytes / MIB)} MiB, ${socketCount} sockets, ${seriesCount} samples, ${held} resources`;
}
