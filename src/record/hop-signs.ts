// What the head of an answer gives away about hops on the way and what they were asked to do. Closed words and
// numbers only: no header value is kept.

/** Products that name themselves in `server`, `via` or a field of their own. Closed set. */
export const HOP_PRODUCTS = [
  'nginx',
  'openresty',
  'apache',
  'haproxy',
  'envoy',
  'varnish',
  'caddy',
  'squid',
  'traffic_server',
  'h2o',
  'traefik',
  'kong',
  'apisix',
  'litellm',
  'portkey',
  'cloudflare',
  'cloudfront',
  'fastly',
  'akamai',
  'aws_alb',
  'google_frontend',
  'azure_front_door',
  'vercel',
] as const;
export type HopProduct = (typeof HOP_PRODUCTS)[number];

export interface HopSigns {
  /** Nearest to us first, as far as the fields tell. */
  readonly products?: readonly HopProduct[];
  /** Hops that `via` lists. */
  readonly viaCount?: number;
  /** The field `x-accel-buffering`: `no` asks nginx and its kin not to buffer. */
  readonly accelBuffering?: 'no' | 'yes';
  /** Words of `cache-control` that matter to a stream. */
  readonly cacheControl?: readonly ('no-cache' | 'no-store' | 'no-transform')[];
  /** A length was stated: whoever did knew the whole answer before its first byte. */
  readonly lengthBytes?: number;
  /** `age` or a cache's own hit mark: the answer was not made for us. */
  readonly cached?: true;
}
