// Can a place be reached at all, and how long does the way to it take? A connection, and no request.
import dns from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import { nowNs } from '../../base/clock.ts';
import type { Config, UpstreamAddress } from '../../config/config.ts';
import type { Finding } from './check.ts';

const ATTEMPT_MS = 5_000;

/** What is to be reached, and how to speak of it. */
export interface Goal {
  readonly check: string;
  readonly about: string;
  readonly upstream: UpstreamAddress;
  /** What is to be started when nothing listens there. */
  readonly what: string;
  /** The key that names it. */
  readonly flag: string;
  readonly values: NonNullable<Finding['values']>;
}

export async function reach({ check, about, upstream, what, flag, values }: Goal, config: Config): Promise<Finding> {
  try {
    const { dnsMs, tcpMs, tlsMs } = await connect(upstream, config);
    const steps = [`name ${dnsMs} ms`, `TCP ${tcpMs} ms`, ...(tlsMs === undefined ? [] : [`TLS ${tlsMs} ms`])];
    return {
      check,
      status: 'ok',
      says: `${about} can be reached: ${steps.join(', ')}`,
      values: { ...values, dnsMs, tcpMs, ...(tlsMs === undefined ? {} : { tlsMs }) },
    };
  } catch (error) {
    const { code = 'ERROR', message } = error as NodeJS.ErrnoException;
    return {
      check,
      status: 'fail',
      says: `${about} cannot be reached: ${code}`,
      cure: cureOfFault(code, message, { what, flag }),
    };
  }
}

function cureOfFault(code: string, message: string, { what, flag }: Pick<Goal, 'what' | 'flag'>): string {
  if (code === 'ECONNREFUSED') return `nothing listens there: start ${what}, or correct ${flag}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'the name cannot be resolved: correct it, or the DNS of this host';
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return 'packets do not arrive: check address, route and firewall';
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) {
    return `its certificate is not trusted (${message}): give the authority with --upstream-ca FILE`;
  }
  return message;
}

interface Steps {
  readonly dnsMs: number;
  readonly tcpMs: number;
  readonly tlsMs: number | undefined;
}

async function connect({ host, port, protocol }: UpstreamAddress, config: Config): Promise<Steps> {
  const startNs = nowNs();
  const { address } = await dns.lookup(host);
  const resolvedNs = nowNs();
  const socket = net.connect({ host: address, port });
  try {
    await opened(socket, 'connect');
    const connectedNs = nowNs();
    const dnsMs = msBetween(startNs, resolvedNs);
    const tcpMs = msBetween(resolvedNs, connectedNs);
    if (protocol === 'http:') return { dnsMs, tcpMs, tlsMs: undefined };
    const { caPem, insecure } = config.upstreamTls;
    const secure = tls.connect({
      socket,
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
      ...(caPem === undefined ? {} : { ca: [...tls.getCACertificates('default'), caPem] }),
      rejectUnauthorized: !insecure,
    });
    await opened(secure, 'secureConnect');
    return { dnsMs, tcpMs, tlsMs: msBetween(connectedNs, nowNs()) };
  } finally {
    socket.destroy();
  }
}

function opened(socket: net.Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    socket.setTimeout(ATTEMPT_MS, late);
    socket.once(event, resolve);
    socket.on('error', reject);
  });
}

/** Three digits are enough for people, and for machines. */
function msBetween(fromNs: number, toNs: number): number {
  return Math.round((toNs - fromNs) / 1e3) / 1e3;
}
