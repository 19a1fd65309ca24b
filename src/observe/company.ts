// Who shared an upstream with an exchange until its first token: whether it met the engine idle is
// what a calibrated model learns from. Counts per route; knows nothing of engines.

/** The others on the route of one exchange. */
export interface Company {
  /** Exchanges that were under way when this one opened. */
  readonly atOpenCount: number;
  /** Exchanges that opened after this one and before its first token, or its end without one. */
  joinedCount: number;
}

interface RouteCounts {
  openCount: number;
  /** Exchanges opened so far. */
  openedCount: number;
}

export class CompanyBook {
  readonly #routes = new Map<number, RouteCounts>();
  /** What had opened on the route by the time of an exchange's own opening, itself included. */
  readonly #openedBy = new WeakMap<Company, number>();

  /** An exchange opens. */
  enter(route: number): Company {
    const counts = this.#of(route);
    const company: Company = { atOpenCount: counts.openCount, joinedCount: 0 };
    counts.openCount += 1;
    counts.openedCount += 1;
    this.#openedBy.set(company, counts.openedCount);
    return company;
  }

  /** Its first token came: who opens from now on joined too late to count. */
  settle(route: number, company: Company): void {
    const openedBefore = this.#openedBy.get(company);
    if (openedBefore === undefined) return;
    this.#openedBy.delete(company);
    company.joinedCount = this.#of(route).openedCount - openedBefore;
  }

  /** An exchange is over. */
  leave(route: number, company: Company): void {
    this.settle(route, company);
    this.#of(route).openCount -= 1;
  }

  openCount(route: number): number {
    return this.#of(route).openCount;
  }

  #of(route: number): RouteCounts {
    const known = this.#routes.get(route);
    if (known !== undefined) return known;
    const fresh = { openCount: 0, openedCount: 0 };
    this.#routes.set(route, fresh);
    return fresh;
  }
}
