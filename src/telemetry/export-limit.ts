// A limit on how long the answer to an OTLP export may take as a whole. OpenTelemetry's exporter (0.22x)
// limits the silence of the connection only, so a collector that drips bytes would hold one of its 30
// places for hours each, and after 30 of them nothing is exported any more, however well it is by then.
// Found by Node's own channel for client requests, because the exporter keeps its agent and its
// certificates to itself.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

const CHANNEL = 'http.client.request.start';
/** In the user agent of every OTLP export over HTTP. */
const EXPORTER_NAME = 'OTel-OTLP-Exporter';

/** Ends each export's connection so long after its request was sent; returns what lifts the limit. */
export function limitExports(limitMs: number): () => void {
  const onStart = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    if (!String(request.getHeader('user-agent')).includes(EXPORTER_NAME)) return;
    const timer = setTimeout(() => request.destroy(new Error(`no whole answer within ${limitMs} ms`)), limitMs);
    timer.unref();
    request.once('close', () => clearTimeout(timer));
  };
  subscribe(CHANNEL, onStart);
  return () => unsubscribe(CHANNEL, onStart);
}
