// Opens sockets to engines: addresses, TLS, and what Node must not do with one. Knows no exchange.
import net from 'node:net';
import tls from 'node:tls';
import { NEXT_ADDRESS_AFTER_MS, TCP_KEEP_ALIVE_MS } from '../base/limits.ts';
import { NameBook } from './name-book.ts';
import { NameLookup } from './name-lookup.ts';
import type { UpstreamTarget } from './settings.ts';
import { TlsMemory } from './tls-memory.ts';

/**
 * An engine that answers early (413) and closes makes our next write fail, and Node would destroy the
 * socket with the answer still unread in it. What has come is in the kernel by then, so one more turn of
 * the loop reads it: the first immediate can come before the loop looks at its sockets, the second cannot.
 */
export function readOnAfterFailedWrite(socket: net.Socket): void {
  const destroy = socket.destroy.bind(socket);
  const destroyRead = (error?: NodeJS.ErrnoException): net.Socket => {
    const isPeerGone = error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
    if (!isPeerGone || error.syscall !== 'write') return destroy(error);
    setImmediate(() => setImmediate(() => destroy(error)));
    return socket;
  };
  // Made before it is assigned, see `clientGone` in exchange.ts.
  socket.destroy = destroyRead;
}

/** Opens sockets to upstreams, with what is known of where they are and of whom to trust. */
export class Dialer {
  readonly #names = new NameBook((name, system) => this.#lookup.find(name, system));
  readonly #lookup = new NameLookup();
  readonly #tls = new TlsMemory();

  /** Looks after the names of these and no others. */
  keepOnly(targets: ReadonlySet<UpstreamTarget>): void {
    this.#names.keepOnly(new Set([...targets].map(({ hostname }) => hostname)));
    // A context is made now, where nobody waits for it.
    for (const target of targets) if (target.secure) this.#tls.contextOf(target);
  }

  /** For TLS every name and certificate is checked unless configured otherwise. */
  open(target: UpstreamTarget, onread: net.OnReadOpts): net.Socket {
    const { hostname } = target;
    const common = {
      host: hostname,
      port: target.port,
      lookup: this.#names.lookup,
      // Tries the next address when one does not answer; the first is the one that answered last.
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      onread,
    };
    const socket = target.secure ? this.#openTls(target, common) : net.connect(common);
    if (net.isIP(hostname) === 0) this.#watch(hostname, socket);
    return socket;
  }

  #openTls(target: UpstreamTarget, common: object): tls.TLSSocket {
    const session = this.#tls.takeSession(target);
    const socket = tls.connect({
      ...common,
      ALPNProtocols: ['http/1.1'],
      secureContext: this.#tls.contextOf(target),
      rejectUnauthorized: !target.insecure,
      // SNI names hosts, never addresses (RFC 6066 §3).
      ...(net.isIP(target.hostname) === 0 ? { servername: target.hostname } : {}),
      ...(session === undefined ? {} : { session }),
    } as tls.ConnectionOptions);
    this.#tls.learnFrom(target, socket);
    return socket;
  }

  #watch(name: string, socket: net.Socket): void {
    let connected = false;
    const onFailed = (address: string): void => this.#names.onFailed(name, address);
    socket.on('connectionAttemptFailed', onFailed);
    socket.on('connectionAttemptTimeout', onFailed);
    socket.once('connect', () => {
      connected = true;
      this.#names.onConnected(name, socket.remoteAddress ?? '');
    });
    socket.once('error', () => {
      if (!connected) this.#names.onUnreachable(name);
    });
  }
}
