// The parts of a probe's wait, each from one event to the next, read from the record. Lengths in ns; a part that
// did not happen, or was not seen, is absent.
import { defined } from '../../measure/defined.ts';
import type { Figures } from '../../measure/figures.ts';
import type { StreamRecord } from '../../record/stream-record.ts';

export interface Moments {
  /** Asked → answered. */
  readonly dnsNs?: number;
  /** SYN sent → connected. */
  readonly tcpNs?: number;
  /** Connected → secure. */
  readonly tlsNs?: number;
  /** Connection ready → last byte of the request given to the socket. */
  readonly sendNs?: number;
  /** Request sent → response head received. */
  readonly headNs?: number;
  /** Response head received → first generated text received. */
  readonly firstTextNs?: number;
  /** Request begun → first generated text received. */
  readonly ttftNs?: number;
  /** First → last generated text received. */
  readonly streamNs?: number;
  /** Last generated text received → end of the answer. */
  readonly tailNs?: number;
}

export function momentsOf({ marks, connection }: StreamRecord, figures: Figures): Moments {
  const { ttftNs, lastTokenNs } = figures;
  const between = (fromNs: number | undefined, toNs: number | undefined): number | undefined =>
    fromNs === undefined || toNs === undefined || toNs < fromNs ? undefined : toNs - fromNs;
  return defined({
    dnsNs: connection?.dnsNs,
    tcpNs: connection?.tcpNs,
    tlsNs: connection?.tlsNs,
    sendNs: between(marks.connectedAtNs, marks.requestSentAtNs),
    headNs: between(marks.requestSentAtNs, marks.headReceivedAtNs),
    firstTextNs: between(marks.headReceivedAtNs, ttftNs),
    ttftNs,
    streamNs: between(ttftNs, lastTokenNs),
    tailNs: between(lastTokenNs, marks.upstreamEndAtNs),
  });
}
