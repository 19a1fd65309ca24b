// Counts of polls that brought nothing, by route. Who counts may be exchanged for another while the
// process runs, and a counter must not fall by that, nor take over what the other counted before.
import { POLL_FAULTS, type PollFault } from '../../judge/engine-state.ts';

export interface RouteFault {
  readonly route: string;
  readonly fault: PollFault;
  readonly count: number;
}

/** Those who count for a route now. */
type Counting = (route: string) => readonly (ReadonlyMap<PollFault, number> | undefined)[];

export class FaultLedger {
  readonly #counting: Counting;
  /** What a route's count is beside what is counted for it now. */
  readonly #offsets = new Map<string, Map<PollFault, number>>();

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  faults(): readonly RouteFault[] {
    return [...this.#offsets.keys()].flatMap((route) =>
      POLL_FAULTS.flatMap((fault) => {
        const count = this.#countOf(route, fault);
        return count === 0 ? [] : [{ route, fault, count }];
      }),
    );
  }

  /** Lets it be changed who counts, for these routes and for all there were. */
  during(routes: readonly string[], change: () => void): void {
    for (const route of routes) if (!this.#offsets.has(route)) this.#offsets.set(route, new Map());
    const before = [...this.#offsets.keys()].flatMap((route) =>
      POLL_FAULTS.map((fault) => ({ route, fault, count: this.#countOf(route, fault) })),
    );
    change();
    for (const { route, fault, count } of before) {
      this.#offsets.get(route)?.set(fault, count - this.#rawOf(route, fault));
    }
  }

  #countOf(route: string, fault: PollFault): number {
    return this.#rawOf(route, fault) + (this.#offsets.get(route)?.get(fault) ?? 0);
  }

  #rawOf(route: string, fault: PollFault): number {
    return this.#counting(route).reduce((sum, counts) => sum + (counts?.get(fault) ?? 0), 0);
  }
}
