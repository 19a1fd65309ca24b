// OTLP over HTTP, as the specification has it: POST to /v1/<signal>, protobuf or JSON, plain or gzip.
// Holds one bounded body a request; refuses early what it will not take.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  OTLP_HEAD_MAX_BYTES,
  OTLP_HEAD_TIMEOUT_MS,
  OTLP_IDLE_MS,
  OTLP_REQUEST_MAX_BYTES,
  OTLP_REQUEST_TIMEOUT_MS,
} from '../../base/otlp-limits.ts';
import type { DropReason } from './counts.ts';
import type { Intake, Verdict } from './intake.ts';
import { JSON_TYPE, PROTOBUF_TYPE, SIGNALS, type Payload, type PayloadType, type Signal } from './signals.ts';
import { statusMessage } from './status-message.ts';

/** The server, not listening yet. Requests are answered by themselves. */
export function createHttpIntake(intake: Intake): Server {
  return createServer(
    {
      maxHeaderSize: OTLP_HEAD_MAX_BYTES,
      headersTimeout: OTLP_HEAD_TIMEOUT_MS,
      requestTimeout: OTLP_REQUEST_TIMEOUT_MS,
      keepAliveTimeout: OTLP_IDLE_MS,
      connectionsCheckingInterval: 1_000,
      insecureHTTPParser: false,
    },
    (request, response) => void handle(request, response, intake),
  );
}

interface Asked {
  readonly signal: Signal;
  readonly type: PayloadType;
  readonly encoding: Payload['encoding'];
}

async function handle(request: IncomingMessage, response: ServerResponse, intake: Intake): Promise<void> {
  response.on('error', () => response.destroy());
  const asked = whatIsAsked(request);
  if (!('signal' in asked)) {
    const verdict = intake.refuse(asked.reason, asked.message);
    return answer(response, { status: asked.status, type: JSON_TYPE, verdict });
  }
  const body = await collect(request, intake);
  if ('bytes' in body) {
    const verdict = await intake.accept({ ...asked, bytes: body.bytes });
    intake.release(body.bytes.length);
    return answer(response, { status: statusOf(verdict), type: asked.type, verdict });
  }
  if (body.reason === 'gone') return undefined;
  const verdict = intake.refuse(body.reason, body.message);
  return answer(response, { status: statusOf(verdict), type: asked.type, verdict });
}

interface Refusal {
  readonly status: number;
  readonly reason: DropReason;
  readonly message: string;
}

function whatIsAsked({ method, url = '', headers }: IncomingMessage): Asked | Refusal {
  const refusal = (status: number, message: string): Refusal => ({ status, reason: 'unsupported', message });
  // Engines are no browsers: a page that somebody visits must not write into his telemetry.
  if (headers.origin !== undefined) return refusal(403, 'Requests of web pages are not taken.');
  const signal = SIGNALS.find((name) => url.split('?', 1)[0] === `/v1/${name}`);
  if (signal === undefined) return refusal(404, 'OTLP is taken at /v1/traces, /v1/metrics and /v1/logs.');
  if (method !== 'POST') return refusal(405, 'OTLP is sent by POST.');
  const type = TYPES[(headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''];
  if (type === undefined) return refusal(415, `The content type must be ${PROTOBUF_TYPE} or ${JSON_TYPE}.`);
  const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'gzip' && coding !== 'identity') return refusal(415, 'The content coding must be gzip, or none.');
  return { signal, type, encoding: coding === 'gzip' ? coding : undefined };
}

const TYPES: Readonly<Record<string, PayloadType | undefined>> = {
  [PROTOBUF_TYPE]: PROTOBUF_TYPE,
  'application/protobuf': PROTOBUF_TYPE,
  [JSON_TYPE]: JSON_TYPE,
};

type Collected =
  | { readonly bytes: Buffer }
  | { readonly reason: 'oversize' | 'busy'; readonly message: string }
  | { readonly reason: 'gone' };

const TOO_LARGE = { reason: 'oversize', message: `It is larger than ${OTLP_REQUEST_MAX_BYTES} bytes.` } as const;
const BUSY = { reason: 'busy', message: 'Too much is in work; send it again later.' } as const;

/** The body; its bytes are reserved and stay so for whoever gets them. */
function collect(request: IncomingMessage, intake: Intake): Promise<Collected> {
  const stated = Number(request.headers['content-length'] ?? 0);
  if (stated > OTLP_REQUEST_MAX_BYTES) return Promise.resolve(TOO_LARGE);
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    let settled = false;
    const settle = (result: Collected): void => {
      if (settled) return;
      settled = true;
      if (!('bytes' in result)) intake.release(size);
      request.off('data', take);
      resolve(result);
    };
    const take = (piece: Buffer): void => {
      if (size + piece.length > OTLP_REQUEST_MAX_BYTES) return settle(TOO_LARGE);
      if (!intake.reserve(piece.length)) return settle(BUSY);
      size += piece.length;
      pieces.push(piece);
      return undefined;
    };
    request.on('data', take);
    request.once('end', () => settle({ bytes: Buffer.concat(pieces) }));
    request.once('error', () => settle({ reason: 'gone' }));
    request.once('close', () => settle({ reason: 'gone' }));
  });
}

const STATUSES: Readonly<Partial<Record<DropReason, number>>> = {
  oversize: 413,
  malformed: 400,
  unsupported: 415,
  busy: 503,
};

function statusOf(verdict: Verdict): number {
  return verdict.accepted ? 200 : (STATUSES[verdict.reason] ?? 500);
}

interface Answer {
  readonly status: number;
  readonly type: PayloadType;
  readonly verdict: Verdict;
}

function answer(response: ServerResponse, { status, type, verdict }: Answer): void {
  if (response.destroyed) return;
  const bytes = statusMessage(type, verdict);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 503 ? { 'retry-after': '1' } : {}),
    // What was not read of the body would be taken for the next request.
    ...(response.req.complete ? {} : { connection: 'close' }),
  });
  response.end(bytes);
}
