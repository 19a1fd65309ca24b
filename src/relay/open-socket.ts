// Opens sockets to engines: addresses, TLS, and what Node must not do with one. Knows no exchange.
import net from 'node:net';
import tls from 'node:tls';
import { TCP_KEEP_ALIVE_MS } from '../base/limits.ts';
import type { UpstreamTarget } from './settings.ts';

/**
 * An engine that answers early (413) and closes makes our next write fail, and Node would destroy the
 * socket with the answer still unread in it. What has come is in the kernel by then, so one more turn of
 * the loop reads it: the first immediate can come before the loop looks at its sockets, the second cannot.
 */
export function readOnAfterFailedWrite(socket: net.Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error?: NodeJS.ErrnoException) => {
    const isPeerGone = error?.code === 'EPIPE' || error?.code === 'ECONNRESET';
    if (!isPeerGone || error.syscall !== 'write') return destroy(error);
    setImmediate(() => setImmediate(() => destroy(error)));
    return socket;
  };
}

/** Opens a socket; for TLS every name and certificate is checked unless configured otherwise. */
export function openSocket(target: UpstreamTarget, onread: net.OnReadOpts): net.Socket {
  const common = {
    host: target.hostname,
    port: target.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    onread,
  };
  if (!target.secure) return net.connect(common);
  return tls.connect({
    ...common,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: !target.insecure,
    // SNI names hosts, never addresses (RFC 6066 §3).
    ...(net.isIP(target.hostname) === 0 ? { servername: target.hostname } : {}),
    ...(target.ca === undefined ? {} : { ca: [...tls.rootCertificates, target.ca] }),
  } as tls.ConnectionOptions);
}
