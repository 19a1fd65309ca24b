// How evenly relays share connections, and what more of them would bring where there are cores enough, from what a
// chunk costs with one. The latter is a model: relays share nothing but the main thread, which reads all their tapes
// and can be the next thing that is full. When it is, detail is left out and counted, and streams go on; the model
// ends there all the same. Pure.

export interface ChunkCosts {
  readonly relayUs: number;
  readonly mainUs: number;
  /** With V8's helpers and all other threads. */
  readonly totalUs: number;
}

export interface Modelled {
  readonly chunksPerSecond: number;
  /** That all of the process needs then. */
  readonly cores: number;
  readonly limit: 'relays' | 'main thread';
}

const US_PER_SECOND = 1e6;

export function scalingModel({ relayUs, mainUs, totalUs }: ChunkCosts, relayCount: number): Modelled {
  const byRelays = (relayCount * US_PER_SECOND) / relayUs;
  const byMain = US_PER_SECOND / mainUs;
  const chunksPerSecond = Math.min(byRelays, byMain);
  const cores = (chunksPerSecond * totalUs) / US_PER_SECOND;
  return { chunksPerSecond, cores, limit: byMain < byRelays ? 'main thread' : 'relays' };
}

/** Of exchanges whose ids are `RELAY.LIFE-NUMBER`: the share that the relay with most of them had. */
export function busiestShare(ids: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const relay = id.slice(0, id.indexOf('.'));
    counts.set(relay, (counts.get(relay) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) / ids.length;
}
