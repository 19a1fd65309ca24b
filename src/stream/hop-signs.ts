// What the head of an answer gives away about hops on its way: proxies, gateways and CDNs name themselves in
// fields that they write, and pass on or drop what engines ask of them. Closed words and numbers come out of
// here, and no value of a field. That a field is there says that a hop touched the answer, not what it did.
import { HEAD_LIST_MAX_COUNT } from '../base/limits.ts';
import { listMembers } from '../base/fields.ts';
import type { HopProduct, HopSigns } from '../record/hop-signs.ts';

/** Characters of a field's value that are looked at: a server's own name is far shorter. */
const VALUE_MAX_CHARS = 512;

/** How products name themselves, in lower case, in `server`, `via` and `x-powered-by`. The stricter ones first. */
const NAMES: readonly (readonly [RegExp, HopProduct])[] = [
  [/\bopenresty\b/, 'openresty'],
  [/\bapisix\b/, 'apisix'],
  [/\bkong\b/, 'kong'],
  [/\bnginx\b/, 'nginx'],
  // `ATS/9.2.5` in the one field and `ApacheTrafficServer/9.2.5` in the other.
  [/\bats\/|\bapachetrafficserver\b/, 'traffic_server'],
  // Not Apache-Coyote, which is a server of applications.
  [/\bapache(?:[/\s)]|$)/, 'apache'],
  [/\bhaproxy\b/, 'haproxy'],
  // Istio's calls itself `istio-envoy`.
  [/\benvoy\b/, 'envoy'],
  [/\bvarnish\b/, 'varnish'],
  [/\bcaddy\b/, 'caddy'],
  [/\bsquid\b/, 'squid'],
  [/\bh2o\b/, 'h2o'],
  [/\btraefik\b/, 'traefik'],
  [/\blitellm\b/, 'litellm'],
  [/\bportkey\b/, 'portkey'],
  [/\bcloudflare\b/, 'cloudflare'],
  [/\bcloudfront\b/, 'cloudfront'],
  [/\bfastly\b/, 'fastly'],
  [/\bakamai/, 'akamai'],
  [/\bawselb\b/, 'aws_alb'],
  [/\bgoogle frontend\b|^gws$|^gse$|^esf$|^\d\.\d google$/, 'google_frontend'],
  [/\bvercel\b/, 'vercel'],
];

/** Fields that only one product writes, by how their names begin. */
const OWN_FIELDS: readonly (readonly [string, HopProduct])[] = [
  ['x-kong-', 'kong'],
  ['x-apisix-', 'apisix'],
  ['apisix-', 'apisix'],
  ['x-litellm-', 'litellm'],
  ['x-portkey-', 'portkey'],
  ['x-envoy-', 'envoy'],
  ['x-fastly-', 'fastly'],
  ['fastly-', 'fastly'],
  ['x-varnish', 'varnish'],
  ['x-amz-cf-', 'cloudfront'],
  ['cf-ray', 'cloudflare'],
  ['cf-cache-status', 'cloudflare'],
  ['x-akamai-', 'akamai'],
  ['akamai-', 'akamai'],
  ['x-azure-ref', 'azure_front_door'],
  ['x-vercel-', 'vercel'],
  // Squid's second word on its cache; the first, `x-cache`, is everybody's.
  ['x-cache-lookup', 'squid'],
];

/** Fields in which a cache says whether it had the answer: HIT, TCP_HIT, "Hit from cloudfront", "MISS, HIT" … */
const CACHE_FIELDS: ReadonlySet<string> = new Set([
  'x-cache',
  'x-cache-status',
  'x-proxy-cache',
  'x-cache-lookup',
  'cf-cache-status',
  'apisix-cache-status',
  'x-portkey-cache-status',
  'x-vercel-cache',
]);
const HIT = /^(?:semantic |(?:[a-z]+_)*)hit\b/;

const CACHE_WORDS = ['no-cache', 'no-store', 'no-transform'] as const;

/** What was seen so far; a mutable form of {@link HopSigns}. */
interface Seen {
  /** From `via`, `server`, own fields and `x-powered-by`. */
  readonly via: HopProduct[];
  readonly server: HopProduct[];
  readonly own: HopProduct[];
  viaCount: number;
  accelBuffering?: 'no' | 'yes';
  readonly cacheControl: Set<(typeof CACHE_WORDS)[number]>;
  lengthBytes?: number;
  cached: boolean;
}

/** The signs in these fields, names and values in turn; undefined when there are none. */
export function hopSignsOf(fields: readonly string[]): HopSigns | undefined {
  const seen: Seen = { via: [], server: [], own: [], viaCount: 0, cacheControl: new Set(), cached: false };
  for (let index = 0; index < fields.length; index += 2) {
    const name = (fields[index] as string).toLowerCase();
    look(name, (fields[index + 1] ?? '').slice(0, VALUE_MAX_CHARS).trim().toLowerCase(), seen);
  }
  const products = productsOf(seen);
  const { viaCount, accelBuffering, lengthBytes, cached } = seen;
  const cacheControl = CACHE_WORDS.filter((word) => seen.cacheControl.has(word));
  const signs: HopSigns = {
    ...(products.length === 0 ? {} : { products }),
    ...(viaCount === 0 ? {} : { viaCount }),
    ...(accelBuffering === undefined ? {} : { accelBuffering }),
    ...(cacheControl.length === 0 ? {} : { cacheControl }),
    ...(lengthBytes === undefined ? {} : { lengthBytes }),
    ...(cached ? { cached } : {}),
  };
  return Object.keys(signs).length === 0 ? undefined : signs;
}

function look(name: string, value: string, seen: Seen): void {
  switch (name) {
    case 'server':
      seen.server.push(...namedIn(value));
      return;
    case 'x-powered-by':
      seen.own.push(...namedIn(value));
      return;
    case 'via':
      lookAtVia(value, seen);
      return;
    case 'x-accel-buffering':
      if (value === 'no' || value === 'yes') seen.accelBuffering = value;
      return;
    case 'cache-control':
      lookAtControl(listMembers(value), seen);
      return;
    case 'content-length':
      // Longer ones are no length of anything.
      if (/^\d{1,15}$/.test(value)) seen.lengthBytes ??= Number(value);
      return;
    default:
      lookAtCache(name, value, seen);
      // Fastly's are named for the machine that served; others write what they like into this field.
      if (name === 'x-served-by' && value.startsWith('cache-')) seen.own.push('fastly');
      lookAtName(name, seen);
  }
}

function lookAtControl(members: readonly string[], seen: Seen): void {
  for (const word of CACHE_WORDS) if (members.includes(word)) seen.cacheControl.add(word);
}

/** Most names that an answer has are no hop's own, so taking pairs apart for each was a twentieth of main's garbage. */
function lookAtName(name: string, seen: Seen): void {
  for (let index = 0; index < OWN_FIELDS.length; index += 1) {
    const own = OWN_FIELDS[index] as (typeof OWN_FIELDS)[number];
    if (name.startsWith(own[0])) seen.own.push(own[1]);
  }
}

/** Each hop adds itself at the end, so the last one is the nearest. */
function lookAtVia(value: string, seen: Seen): void {
  const hops = listMembers(value);
  seen.viaCount = Math.min(seen.viaCount + hops.length, HEAD_LIST_MAX_COUNT);
  for (const hop of hops) seen.via.unshift(...namedIn(hop));
}

function lookAtCache(name: string, value: string, seen: Seen): void {
  // Varnish states an age of 0 for what it has just fetched.
  const aged = name === 'age' && /^0*[1-9]\d*$/.test(value);
  // Two numbers: this request's, and that of the one which filled the cache.
  const refilled = name === 'x-varnish' && /^\d+ \d+$/.test(value);
  const stated = name === 'cache-status' && /;\s*hit(?:\s*(?:[;,]|$))/.test(value);
  if (aged || refilled || stated || (CACHE_FIELDS.has(name) && listMembers(value).some((word) => HIT.test(word))))
    seen.cached = true;
}

function namedIn(value: string): HopProduct[] {
  const named = NAMES.find(([pattern]) => pattern.test(value));
  return named === undefined ? [] : [named[1]];
}

/**
 * `server` is written over by hops that do not sign in `via` (nginx, CDNs), and left alone by most of those
 * that do; fields of their own tell nothing of the order.
 */
function productsOf({ via, server, own }: Seen): HopProduct[] {
  const products = new Set([...via, ...server, ...own]);
  // Fastly is made of Varnish and signs as such.
  if (products.has('fastly') && !own.includes('varnish')) products.delete('varnish');
  return [...products];
}
