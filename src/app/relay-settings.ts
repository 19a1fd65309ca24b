// From the configuration and the environment to what relay threads are told.
import type { ClassTurnsConfig, Config, HostHeader, RouteConfig, UpstreamAddress } from '../config/config.ts';
import type { AdmissionRules } from '../relay/admission-classes.ts';
import type { AdmissionSettings } from '../relay/admission-limits.ts';
import type { LiveSettings, RouteRule, SamplerSettings, UpstreamTarget } from '../relay/settings.ts';
import { edgeRoute } from './edge-routes.ts';
import { roomInDescriptorsCount, roomInMemoryBytes } from './room.ts';

/** `idOf` gives the number that stands for a route on the tape. */
export function relaySettings(
  config: Config,
  tracing: SamplerSettings | undefined,
  idOf: (route: RouteConfig) => number,
): LiveSettings {
  const ruleOf = (route: RouteConfig, hostHeader: HostHeader): RouteRule => ({
    id: idOf(route),
    name: route.name,
    prefix: route.prefix,
    host: route.host,
    upstream: upstreamTarget(route.upstream, hostHeader, config.upstreamTls),
  });
  return {
    routes: config.routes.map((route) => ruleOf(route, config.hostHeader)),
    edges: config.edges.map((edge) => ruleOf(edgeRoute(edge), edge.hostHeader ?? config.hostHeader)),
    tracing,
    timeLimits: config.timeouts,
    admission: admissionOf(config),
    turns: turnsOf(config),
  };
}

/** Each relay gets its share, for none knows of the others' clients. */
function admissionOf({ admission, relayCount }: Config): AdmissionSettings {
  const connectionCount = Math.min(admission.maxConnectionCount, roomInDescriptorsCount() ?? Infinity);
  return {
    maxStreamCount: Math.ceil(admission.maxStreamCount / relayCount),
    maxConnectionCount: Math.ceil(connectionCount / relayCount),
    maxRssBytes: admission.maxRssBytes === 'auto' ? roomInMemoryBytes() : admission.maxRssBytes,
    uploadRateMinBytes: admission.uploadRateMinBytes,
  };
}

/** Its share as well, of places; each relay's queue waits as long and may be as long as is configured. */
function turnsOf({ turns, classes, classHeader, relayCount }: Config): AdmissionRules | undefined {
  if (turns === undefined) return undefined;
  const share = (count: number | undefined): number => Math.ceil((count ?? Infinity) / relayCount);
  return {
    maxRunningCount: share(turns.maxRunningCount),
    classHeader,
    classes: classes.map(({ name, rules }) => ({
      name,
      ...(turns.turnsOf[name] as ClassTurnsConfig),
      maxRunningCount: share(turns.turnsOf[name]?.maxRunningCount),
      // What is told by the body is not told here, and no such class has turns of its own.
      rules: rules.filter(({ model, body }) => model === undefined && body === undefined),
    })),
  };
}

function upstreamTarget(
  address: UpstreamAddress,
  hostHeader: HostHeader,
  upstreamTls: Config['upstreamTls'],
): UpstreamTarget {
  const secure = address.protocol === 'https:';
  // Hosted APIs answer only to their own name; a plain engine next door takes any.
  const rewrites = hostHeader === 'upstream' || (hostHeader === 'auto' && secure);
  return {
    secure,
    hostname: address.host,
    port: address.port,
    hostField: rewrites ? new URL(address.origin).host : undefined,
    ca: upstreamTls.caPem,
    insecure: upstreamTls.insecure,
  };
}

const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/;

/**
 * The sampler that `OTEL_TRACES_SAMPLER` asks for. A name or a ratio that is none is as good as absent, as the
 * specification wants it: parentbased_always_on, and 1.
 */
export function samplerSettings(env: Readonly<Record<string, string | undefined>>): SamplerSettings {
  const match = SAMPLER.exec((env['OTEL_TRACES_SAMPLER'] ?? '').trim().toLowerCase());
  return {
    root: match === null ? 'always_on' : (match[2] as SamplerSettings['root']),
    ratio: ratioOf(env['OTEL_TRACES_SAMPLER_ARG'] ?? ''),
    parentBased: match === null || match[1] !== undefined,
  };
}

function ratioOf(text: string): number {
  const ratio = Number(text);
  return text.trim() !== '' && ratio >= 0 && ratio <= 1 ? ratio : 1;
}
