// Who may talk to the admin port. A page in a browser can make requests to loopback, and with a name
// that it has pointed at 127.0.0.1 it can even read the answers (DNS rebinding). So `Host` must be
// something no stranger controls, and a request with a foreign `Origin` is refused. Pure.
import { isIP } from 'node:net';

export type Refusal = { readonly status: 403 | 405; readonly error: string; readonly message: string };

export interface GuardedRequest {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Why a request is refused; undefined when it is fine. `allowedHosts` are names in lower case. */
export function refusalOf(request: GuardedRequest, allowedHosts: ReadonlySet<string>): Refusal | undefined {
  if (!hostAllowed(request.host, allowedHosts)) {
    return {
      status: 403,
      error: 'host_not_allowed',
      message: 'Host must be an IP address, localhost, or a name given with --admin-allow-host.',
    };
  }
  if (request.origin !== undefined && !sameOrigin(request.origin, request.host)) {
    return { status: 403, error: 'foreign_origin', message: 'Pages of other origins may not use this port.' };
  }
  if (!READ_METHODS.has(request.method)) {
    return { status: 405, error: 'read_only', message: 'This port is read-only: use GET or HEAD.' };
  }
  return undefined;
}

function hostAllowed(host: string | undefined, allowedHosts: ReadonlySet<string>): boolean {
  const name = hostName(host);
  if (name === undefined) return false;
  return isIP(name) !== 0 || name === 'localhost' || allowedHosts.has(name);
}

/** The name or address in a `Host` field, in lower case, without port, brackets and final dot. */
function hostName(host: string | undefined): string | undefined {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(host ?? '');
  if (bracketed !== null) return bracketed[1]?.toLowerCase();
  return /^([a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}

function sameOrigin(origin: string, host: string | undefined): boolean {
  return origin === `http://${host ?? ''}` || origin === `https://${host ?? ''}`;
}
