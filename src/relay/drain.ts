// Lets a relay's open exchanges come to their end within a limit, and cuts the rest.
import { nowNs } from '../base/clock.ts';
import type { Relay } from './relay.ts';
import type { RelayServer } from './server.ts';

const DRAIN_SWEEP_MS = 50;

/** Resolves with the number of streams that had to be cut. */
export function drain(relay: Relay, { server }: RelayServer, withinMs: number): Promise<number> {
  const deadlineNs = nowNs() + withinMs * 1e6;
  relay.startDrain();
  server.close();
  let cutCount = 0;
  let cut = false;
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      // Again and again: a connection that is busy now is idle later.
      server.closeIdleConnections();
      if (!cut && nowNs() >= deadlineNs) {
        cut = true;
        cutCount = relay.cutAll();
      }
      if (relay.openCount > 0) return;
      clearInterval(sweep);
      server.closeIdleConnections();
      relay.close();
      resolve(cutCount);
    }, DRAIN_SWEEP_MS);
  });
}
