// Liveness by the heartbeats of the relays, which they count in shared memory. Looked at from the admin
// port's own thread, so a busy main thread never gets the process killed. Takes moments as arguments.

export interface RelayPulse {
  readonly name: string;
  /** One number in shared memory that the relay counts up; undefined while it serves nobody. */
  readonly beats: Int32Array | undefined;
}

export interface RelayHealth {
  readonly name: string;
  readonly ok: boolean;
  /** The relay's last sign of life → now, as far as this thread was awake to see one. */
  readonly heartbeatAgeMs: number;
}

export interface Health {
  readonly ok: boolean;
  readonly relays: readonly RelayHealth[];
}

/** A relay whose heart has not beaten for this long counts as dead (it beats each 50 ms). */
export const HEART_STOPPED_MS = 10_000;
/** How often to look, so that the age of a heartbeat is known between two questions. */
export const LOOK_EVERY_MS = 1_000;

interface Watched {
  readonly pulse: RelayPulse;
  beatCount: number | undefined;
  ageNs: number;
}

export class PulseWatch {
  #watched: Watched[] = [];
  #lookedAtNs: number | undefined;

  /** The relays as they are now. One whose number is another than before starts a life of its own. */
  set(pulses: readonly RelayPulse[]): void {
    const before = this.#watched;
    this.#watched = pulses.map((pulse) => {
      const known = before.find(({ pulse: old }) => old.name === pulse.name && sameMemory(old.beats, pulse.beats));
      return { pulse, beatCount: known?.beatCount, ageNs: known?.ageNs ?? 0 };
    });
  }

  /** Notes which hearts have beaten since the last look. */
  look(atNs: number): void {
    // After a suspension of the whole process the hearts have had no time to beat either, so time
    // in which nobody looked counts as one look that came a little late.
    const sinceNs = Math.min(atNs - (this.#lookedAtNs ?? atNs), 2 * LOOK_EVERY_MS * 1e6);
    this.#lookedAtNs = atNs;
    for (const watched of this.#watched) {
      const { beats } = watched.pulse;
      const beatCount = beats === undefined ? undefined : Atomics.load(beats, 0);
      watched.ageNs = beatCount === watched.beatCount ? watched.ageNs + sinceNs : 0;
      watched.beatCount = beatCount;
    }
  }

  health(atNs: number): Health {
    this.look(atNs);
    const relays = this.#watched.map(({ pulse, ageNs }) => {
      const heartbeatAgeMs = ageNs / 1e6;
      return { name: pulse.name, ok: pulse.beats !== undefined && heartbeatAgeMs < HEART_STOPPED_MS, heartbeatAgeMs };
    });
    return { ok: relays.length > 0 && relays.every(({ ok }) => ok), relays };
  }
}

function sameMemory(one: Int32Array | undefined, other: Int32Array | undefined): boolean {
  return one?.buffer === other?.buffer;
}
