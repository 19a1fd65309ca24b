// Can the upstream be reached, how long does the way to it take, and does it take requests?
import dns from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import { nowNs } from '../../base/clock.ts';
import type { Config, RouteConfig, UpstreamAddress } from '../../config/config.ts';
import type { Check, DoctorContext, Finding } from './check.ts';
import type { Attempt } from './trial.ts';

const ATTEMPT_MS = 5_000;
const CHECK = 'upstream';

export const upstreamCheck: Check = {
  name: CHECK,
  async run(context) {
    const reached = await Promise.all(context.config.routes.map((route) => reach(route, context.config)));
    return [...reached, ...taken(context)];
  },
};

async function reach({ name, upstream }: RouteConfig, config: Config): Promise<Finding> {
  const about = `${upstream.origin} (route ${name})`;
  try {
    const { dnsMs, tcpMs, tlsMs } = await connect(upstream, config);
    const steps = [`name ${dnsMs} ms`, `TCP ${tcpMs} ms`, ...(tlsMs === undefined ? [] : [`TLS ${tlsMs} ms`])];
    return {
      check: CHECK,
      status: 'ok',
      says: `${about} can be reached: ${steps.join(', ')}`,
      values: { route: name, dnsMs, tcpMs, ...(tlsMs === undefined ? {} : { tlsMs }) },
    };
  } catch (error) {
    const { code = 'ERROR', message } = error as NodeJS.ErrnoException;
    return {
      check: CHECK,
      status: 'fail',
      says: `${about} cannot be reached: ${code}`,
      cure: cureOfFault(code, message),
    };
  }
}

function cureOfFault(code: string, message: string): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there: start the engine, or correct --upstream';
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

/** What the trial says: whether a streaming request was taken. */
function taken({ trial }: DoctorContext): Finding[] {
  if (trial === undefined) return [{ check: 'stream', status: 'skip', says: 'no request was sent (--no-request)' }];
  const { attempts, models, reports, answerMaxMs } = trial;
  const last = attempts.at(-1);
  const found =
    models === undefined ? 'it lists no models' : `it lists ${models.length} ${plural(models.length, 'model')}`;
  if (reports.length > 0) {
    return [
      {
        check: 'stream',
        status: 'ok',
        says: `${last?.path ?? ''} streams; ${found}`,
        values: { path: last?.path ?? '' },
      },
    ];
  }
  const says = attempts.map((attempt) => wordsOf(attempt, answerMaxMs / 1000)).join(', ');
  return [
    {
      check: 'stream',
      status: 'warn',
      says: `no streaming request went well (${says}); ${found}`,
      cure: cureOf(last),
    },
  ];
}

function wordsOf({ path, status, end, reason }: Attempt, answerMaxS: number): string {
  switch (end) {
    case 'unanswered':
      return `${path}: no answer within ${answerMaxS} s`;
    case 'unended':
      return `${path}: ${status ?? ''}, and no end of it within ${answerMaxS} s`;
    case 'whole':
      return `${path}: ${status ?? ''}, an answer in one piece`;
    case 'tokenless':
      return `${path}: ${status ?? ''}, a stream without a token`;
    default:
      return `${path}: ${[status, reason].filter((part) => part !== undefined).join(' ')}`;
  }
}

function cureOf(last: Attempt | undefined): string {
  switch (last?.end) {
    case 'unanswered':
    case 'unended':
      return 'it may be loading its model or be overloaded: see its log, or wait longer with --answer-max SECONDS';
    case 'whole':
      return 'it or a hop before it does not stream: name another path with --path, or switch streaming on there';
    case 'tokenless':
      return 'name the path with --path, and another model with --model NAME';
    default:
      return last?.reason === 'connect_error' ? 'see "upstream" above' : cureOfStatus(last?.status);
  }
}

function cureOfStatus(status: number | undefined): string {
  if (status === 401 || status === 403)
    return 'it wants a key: put it into a variable and name that with --key-env NAME';
  if (status === 404 || status === 405)
    return 'name the path with --path, such as --path /openai/v1/chat/completions, and a model that it serves with --model NAME';
  if (status === 400 || status === 422) return 'name a model that it serves with --model NAME';
  if (status === 429) return 'it is busy or the key has no quota: try again later';
  return 'look at the log of the engine';
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
