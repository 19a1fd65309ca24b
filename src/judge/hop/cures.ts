// What usually cures a hop that holds a stream: a setting, by product and by way, and a general sentence for
// each way. Plain texts for people; nothing here decides anything.
import type { HopProduct } from '../../record/hop-signs.ts';
import type { HoldWay } from '../delivery/verdict.ts';

/** Where the way does not matter, or is none of the named ones. */
type Cures = Partial<Record<HoldWay | 'any', string>>;

/** What helps whoever holds. */
export const GENERAL_CURES: Readonly<Record<HoldWay, string>> = {
  size: 'Something collects the answer in buffers: turn response buffering off for this path (in nginx: `proxy_buffering off;`), or let the engine send `X-Accel-Buffering: no`.',
  timer:
    'Something flushes by a timer: let it flush after each write (Caddy: `flush_interval -1`; Go: `FlushInterval: -1`).',
  compression:
    'Something compresses without flushing: leave `text/event-stream` out of compression, let the engine send `Cache-Control: no-transform`, or flush after each event (Node compression: `res.flush()`).',
  until_end:
    'Something collects the whole answer before it sends: look for response buffering, caching, body transforms, and for a client library in a gateway that does not stream.',
  rechunk:
    'Something gathers events before it sends them: look for batching or re-framing in the gateway, and for guardrails that check text in blocks.',
  head: 'Something keeps the response head until there is a body: let it flush the head at once (Node: `res.flushHeaders()`).',
};

const NGINX: Cures = {
  compression:
    '`gzip off;` for this location, or leave text/event-stream out of `gzip_types`; with `proxy_buffering off;` nginx flushes its gzip too.',
  any: '`proxy_buffering off;` for this location, or `X-Accel-Buffering: no` in the answer (unless `proxy_ignore_headers` names it).',
};

const BY_PRODUCT: Readonly<Partial<Record<HopProduct, Cures>>> = {
  nginx: NGINX,
  openresty: NGINX,
  apisix: {
    compression: 'take text/event-stream out of `types` of the plugins `gzip` and `brotli`.',
    any: 'plugin `proxy-buffering` with `disable_proxy_buffering: true` on this route.',
  },
  kong: {
    any: '`response_buffering: false` on this route, and no plugin that reads the body (response-transformer and its kin).',
  },
  apache: {
    compression:
      '`SetEnv no-gzip 1` for this location, or leave text/event-stream out of `AddOutputFilterByType DEFLATE`.',
    any: '`ProxyPass … flushpackets=on`, and no output filter that needs the whole body.',
  },
  haproxy: {
    compression: 'leave text/event-stream out of `compression type`.',
    until_end: 'remove `http-response wait-for-body` for this backend.',
    any: '`option http-no-delay` in the frontend and the backend.',
  },
  envoy: {
    compression:
      'leave text/event-stream out of `content_type` of the compressor filter, or disable it for this route.',
    any: '`response_body_mode: STREAMED` for ext_proc, and no filter that buffers the response body (Lua `body()`, Wasm, transcoders).',
  },
  varnish: {
    compression: '`set beresp.do_gzip = false;` for this path in vcl_backend_response.',
    any: '`set beresp.do_stream = true;` in vcl_backend_response, or `return (pipe);` for this path in vcl_recv.',
  },
  caddy: {
    compression: 'give `encode` a matcher that leaves this path out.',
    any: '`flush_interval -1` in this `reverse_proxy`.',
  },
  squid: { any: 'no ICAP or eCAP service and no delay pool for this path, and `cache deny` for it.' },
  traffic_server: {
    compression:
      'leave text/event-stream out of `compressible-content-type` of the compress plugin, or set its `flush true`.',
    any: 'no transform plugin for this path.',
  },
  h2o: { compression: '`compress: OFF` for this path.' },
  traefik: {
    compression: '`excludedContentTypes: [text/event-stream]` in the compress middleware.',
    timer: '`responseForwarding.flushInterval: -1` on this service.',
    any: 'no buffering middleware on this router.',
  },
  litellm: { until_end: 'no `fake_stream` for this model, and no guardrail that needs the whole answer.' },
  cloudflare: {
    compression: '`Cache-Control: no-transform` in the answer, or a compression rule that leaves this path out.',
    any: 'no response buffering and no body-rewriting feature for this path, and `Content-Type: text/event-stream` in the answer.',
  },
  cloudfront: {
    compression: 'turn "Compress objects automatically" off for this behavior.',
    any: 'the policy CachingDisabled for this behavior, and no function that reads the body.',
  },
  fastly: {
    compression: 'leave text/event-stream out of the gzip policy.',
    any: '`set beresp.do_stream = true;` in vcl_fetch for this path.',
  },
  aws_alb: { until_end: 'a Lambda target is collected whole: use one that streams, or another target.' },
  google_frontend: {
    until_end: 'App Engine standard and API Gateway collect answers whole: use Cloud Run or GKE for this path.',
  },
  azure_front_door: {
    compression: 'turn compression off for this route.',
    any: 'behind an Application Gateway: turn its response buffers off.',
  },
  vercel: { until_end: 'answer from a function that returns a stream.' },
};

/** The settings of the products that were seen on the way, else what helps in general. */
export function curesFor(way: HoldWay, products: readonly HopProduct[] = []): string[] {
  const named = products.flatMap((product) => {
    const cure = BY_PRODUCT[product]?.[way] ?? BY_PRODUCT[product]?.any;
    return cure === undefined ? [] : [`${product}: ${cure}`];
  });
  return named.length > 0 ? named : [GENERAL_CURES[way]];
}
