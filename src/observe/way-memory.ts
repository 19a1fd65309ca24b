// Remembers the quickest handshake with each route's upstream, our own lateness included: the round trip takes no
// longer than that. A kept connection has no handshake of its own, and the floor of the wire wants one without any
// lateness, which a busy machine seldom has. Places are as many as configuration has.
import type { ConnectionFacts } from '../record/stream-record.ts';

export class WayMemory {
  readonly #leastNs = new Map<string, number>();

  /** The connection with what is known of the way by now. */
  recall(place: string, connection: ConnectionFacts): ConnectionFacts {
    const leastNs = Math.min(this.#leastNs.get(place) ?? Infinity, connection.tcpNs ?? Infinity);
    if (leastNs === Infinity) return connection;
    this.#leastNs.set(place, leastNs);
    return { ...connection, handshakeLeastNs: leastNs };
  }

  /** Another upstream is behind a route from now on. */
  forget(place: string): void {
    this.#leastNs.delete(place);
  }
}
