// Sends payloads to a collector over HTTP: the bytes, the content type and the content coding as they
// came, the headers of the configuration. No redirects, a bounded answer, a limit on all of it.
import { Agent, request, type Dispatcher } from 'undici';
import { OTLP_ANSWER_MAX_BYTES, OTLP_SENDS_MAX_COUNT } from '../../base/otlp-limits.ts';
import type { Sender, SendResult } from './forwarder.ts';
import type { CollectorTarget, Payload } from './signals.ts';

/** Statuses after which the specification of OTLP/HTTP has a client try again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createHttpSender(target: CollectorTarget): Sender {
  const { ca, cert, key } = target.tls;
  const agent = new Agent({
    connections: OTLP_SENDS_MAX_COUNT,
    pipelining: 1,
    headersTimeout: target.timeoutMs,
    bodyTimeout: target.timeoutMs,
    maxHeaderSize: OTLP_ANSWER_MAX_BYTES,
    maxResponseSize: OTLP_ANSWER_MAX_BYTES,
    connect: {
      timeout: target.timeoutMs,
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  });
  return {
    send: (payload) => send(target, agent, payload),
    close: () => void agent.destroy(),
  };
}

async function send(target: CollectorTarget, dispatcher: Dispatcher, payload: Payload): Promise<SendResult> {
  try {
    const { statusCode, headers, body } = await request(target.url, {
      dispatcher,
      method: 'POST',
      headers: {
        ...target.headers,
        'content-type': payload.type,
        ...(payload.encoding === undefined ? {} : { 'content-encoding': payload.encoding }),
      },
      body: payload.bytes,
      signal: AbortSignal.timeout(target.timeoutMs),
    });
    // The head has said it all; a body without end, or cut, changes nothing.
    body.on('error', () => undefined);
    await body.dump({ limit: OTLP_ANSWER_MAX_BYTES }).catch(() => undefined);
    if (statusCode >= 200 && statusCode < 300) return { sent: true };
    const afterMs = retryAfterMs(headers['retry-after']);
    return { sent: false, fault: `status ${statusCode}`, again: RETRYABLE.has(statusCode), afterMs };
  } catch (fault) {
    // Refused, cut or too slow. It may have arrived all the same; a span sent twice is one span.
    return { sent: false, fault: (fault as NodeJS.ErrnoException).code ?? String(fault), again: true };
  }
}

/** `Retry-After` in seconds; as a date, which no collector sends, it is left unread. */
function retryAfterMs(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : undefined;
}
