// The connections to one upstream that nobody uses, and which of them the next request gets. A burst asks thousands
// of times within one turn of the loop, so no question may cost a look at each of them. Knows no sockets and no timers.
import type { ReuseTrust } from './reuse-trust.ts';

/** What is kept of a connection here. */
export interface Idle {
  /** For whom it was used last. */
  readonly client: object | undefined;
  readonly releasedAtNs: number;
}

export class IdleConnections<Connection extends Idle> {
  /** In the order in which they were given back. */
  readonly #all: Connection[] = [];
  /** The one that each client gave back last. */
  readonly #latest = new Map<object, Connection>();

  get count(): number {
    return this.#all.length;
  }

  add(connection: Connection): void {
    this.#all.push(connection);
    if (connection.client !== undefined) this.#latest.set(connection.client, connection);
  }

  /** False when it is not among them. */
  remove(connection: Connection): boolean {
    const index = this.#all.lastIndexOf(connection);
    if (index < 0) return false;
    this.#all.splice(index, 1);
    if (connection.client !== undefined && this.#latest.get(connection.client) === connection) {
      this.#latest.delete(connection.client);
    }
    return true;
  }

  /**
   * The freshest of the same client; else the freshest that rested, or where rest is all that can be trusted the one
   * that rested longest. It stays here until it is removed.
   */
  find(client: object, trust: ReuseTrust, atNs: number): Connection | undefined {
    const restedCount = this.#restedCount(trust, atNs);
    if (!trust.keepsWord) return restedCount > 0 ? this.#all[0] : undefined;
    return this.#latest.get(client) ?? this.#all[restedCount - 1];
  }

  /** Takes all of them out. */
  clear(): Connection[] {
    this.#latest.clear();
    return this.#all.splice(0);
  }

  /** Who was given back first has rested first, so those that have are the first ones. */
  #restedCount(trust: ReuseTrust, atNs: number): number {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (trust.hasRested((this.#all[middle] as Connection).releasedAtNs, atNs)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
