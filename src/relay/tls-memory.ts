// What is made once for an upstream and used for all its TLS connections: the trust that certificates are
// checked against, which takes 8 to 17 ms to build with authorities of one's own, and the sessions that let a
// next handshake do without certificates.
import tls from 'node:tls';
import { TLS_SESSIONS_MAX_COUNT } from '../base/limits.ts';
import type { UpstreamTarget } from './settings.ts';

interface Memory {
  readonly context: tls.SecureContext;
  /** The latest last. */
  readonly sessions: Buffer[];
}

export class TlsMemory {
  readonly #memories = new WeakMap<UpstreamTarget, Memory>();

  contextOf(target: UpstreamTarget): tls.SecureContext {
    return this.#of(target).context;
  }

  /** Each is used once where there are several, so that connections cannot be linked by them (RFC 8446 §C.4). */
  takeSession(target: UpstreamTarget): Buffer | undefined {
    const { sessions } = this.#of(target);
    return sessions.length > 1 ? sessions.pop() : sessions[0];
  }

  /** Keeps the sessions of a connection whose certificate was found good. */
  learnFrom(target: UpstreamTarget, socket: tls.TLSSocket): void {
    socket.on('session', (session) => {
      if (!socket.authorized && !target.insecure) return;
      const { sessions } = this.#of(target);
      sessions.push(session);
      if (sessions.length > TLS_SESSIONS_MAX_COUNT) sessions.shift();
    });
  }

  #of(target: UpstreamTarget): Memory {
    const present = this.#memories.get(target);
    if (present !== undefined) return present;
    const created: Memory = {
      context: tls.createSecureContext({
        minVersion: 'TLSv1.2',
        ...(target.ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), target.ca] }),
      }),
      sessions: [],
    };
    this.#memories.set(target, created);
    return created;
  }
}
