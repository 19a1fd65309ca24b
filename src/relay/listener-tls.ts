// TLS towards clients: which versions and protocols the listener speaks, and with which certificate. Reads
// no file; the main thread hands over the texts and looks for newer ones.
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { CLIENT_HEAD_TIMEOUT_MS } from '../base/limits.ts';

export interface TlsPair {
  /** The certificate and those that vouch for it, in PEM. */
  readonly certPem: string;
  readonly keyPem: string;
}

export function certificateOptions({ certPem, keyPem }: TlsPair): SecureContextOptions {
  return {
    cert: certPem,
    key: keyPem,
    // RFC 8996 retired what came before.
    minVersion: 'TLSv1.2',
    honorCipherOrder: true,
  };
}

export function secureOptions(pair: TlsPair, speaksHttp2: boolean): TlsOptions & SecureContextOptions {
  return {
    ...certificateOptions(pair),
    // Without HTTP/2 a client that insists on it is told in the handshake, not by bytes it cannot read.
    ALPNProtocols: speaksHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    // A handshake has as much time as a head.
    handshakeTimeout: CLIENT_HEAD_TIMEOUT_MS,
  };
}

/** The connection's TLS failed, so nothing that could be said over it would be read. */
export function isTlsFault({ code }: NodeJS.ErrnoException): boolean {
  return code !== undefined && /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code);
}
