// What an exchange is given when a request was admitted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TapeWriter } from '../tape/writer.ts';
import type { Asker, Ticket } from './admission-queue.ts';
import type { ReadClock } from './read-clock.ts';
import type { RouteRule, TimeLimits } from './settings.ts';
import type { UpstreamPool } from './upstream-pool.ts';

export interface ExchangePlan {
  readonly number: number;
  readonly tape: TapeWriter;
  readonly clock: ReadClock;
  readonly pool: UpstreamPool;
  readonly route: RouteRule;
  readonly timeLimits: TimeLimits;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly socket: Socket;
  /** See `Arrival` in listener.ts. */
  readonly carrier: Socket;
  readonly openedAtNs: number;
  readonly method: string;
  readonly target: string;
  /** Fields for the engine; none once it has answered, as nobody will send them again. */
  fields: readonly string[];
  /** A WebSocket is asked for: bytes of the client that came behind its head. */
  readonly upgradeHead: Buffer | undefined;
  /** The process is going down: connections are not kept. */
  readonly isDraining: () => boolean;
  /** A way through the admission queue; undefined where there is none. */
  readonly ticketFor: ((asker: Asker) => Ticket) | undefined;
  /** Nothing more happens on either side. */
  readonly onSettled: () => void;
}
