// Keeps what was seen of each stream through a real hop, beside where the hops are installed, so that a changed rule
// can be asked again in seconds, without minutes of streams.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HopChoice } from '../../../src/client/hops/load.ts';
import { HOPS_CACHE } from '../installed.ts';
import type { Rhythm } from '../truth/rhythms.ts';
import type { Sights } from './chain.ts';

export interface KeptSights extends Sights {
  /** Of the last minute, when it ran. */
  readonly load: number;
}

function fileOf({ name }: HopChoice, rhythm: Rhythm): string {
  return join(HOPS_CACHE, 'sights', `${name.replace('/', '-')}-${rhythm.name}.json.gz`);
}

export function keep(hop: HopChoice, rhythm: Rhythm, sights: KeptSights): void {
  mkdirSync(join(HOPS_CACHE, 'sights'), { recursive: true });
  writeFileSync(fileOf(hop, rhythm), gzipSync(JSON.stringify(sights)));
}

/** Undefined when there is none. */
export function kept(hop: HopChoice, rhythm: Rhythm): KeptSights | undefined {
  if (keptAgeMs(hop, rhythm) === Infinity) return undefined;
  return JSON.parse(gunzipSync(readFileSync(fileOf(hop, rhythm))).toString('utf8')) as KeptSights;
}

export function keptAgeMs(hop: HopChoice, rhythm: Rhythm): number {
  const stat = statSync(fileOf(hop, rhythm), { throwIfNoEntry: false });
  return stat === undefined ? Infinity : Date.now() - stat.mtimeMs;
}

/** What an older run has seen is not this run's. */
export function forget(hop: HopChoice, rhythm: Rhythm): void {
  rmSync(fileOf(hop, rhythm), { force: true });
}
