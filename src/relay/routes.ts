// Which upstream a request goes to: by configuration alone. Prefixes are compared with the raw bytes
// of the target, and never across an encoded separator, so no spelling of a path reaches a route
// that its plain form would not reach.
import { fieldValue } from '../base/fields.ts';
import type { LiveSettings, RouteRule, UpstreamTarget } from './settings.ts';

const ORIGIN = /^https?:\/\/[^/?]*/i;
const SLIPPERY = /%2e|%2f|%5c|\/\.\.?(?:\/|$)|\/\/|;/i;

/** The first route that matches; undefined when none does. */
export function pickRoute(
  routes: readonly RouteRule[],
  target: string,
  fields: readonly string[],
): RouteRule | undefined {
  return routes.find((route) => matchesHost(route, fields) && matchesPrefix(route, target));
}

/** The rules of each listener: of the main one, then of each edge, which leads to one hop only. */
export function rulesByListener({
  routes,
  edges,
}: Pick<LiveSettings, 'routes' | 'edges'>): readonly (readonly RouteRule[])[] {
  return [routes, ...edges.map((edge) => [edge])];
}

export function upstreamsOf(rules: readonly (readonly RouteRule[])[]): ReadonlySet<UpstreamTarget> {
  return new Set(rules.flat().map(({ upstream }) => upstream));
}

/** An upstream as `Host` names it. */
export function authorityOf({ secure, hostname, port }: UpstreamTarget): string {
  const name = hostname.includes(':') ? `[${hostname}]` : hostname;
  return port === (secure ? 443 : 80) ? name : `${name}:${port}`;
}

function matchesHost({ host }: RouteRule, fields: readonly string[]): boolean {
  if (host === undefined) return true;
  const asked = (fieldValue(fields, 'host') ?? '').toLowerCase();
  return asked === host || asked.replace(/:\d*$/, '') === host;
}

function matchesPrefix({ prefix }: RouteRule, target: string): boolean {
  if (prefix === undefined || prefix === '/') return true;
  // In absolute form the path comes behind the host.
  const asked = target.replace(ORIGIN, '');
  if (!asked.startsWith(prefix)) return false;
  const path = asked.split('?', 1)[0] as string;
  if (SLIPPERY.test(path)) return false;
  // `/a` stands for `/a`, `/a/…` and `/a?…`, not for `/ab`.
  const next = asked.charAt(prefix.length);
  return prefix.endsWith('/') || next === '' || next === '/' || next === '?';
}
