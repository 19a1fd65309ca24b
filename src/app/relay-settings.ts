// From the configuration and the environment to what relay threads are told.
import type { Config, UpstreamAddress } from '../config/config.ts';
import type { RelaySettings, SamplerSettings, UpstreamTarget } from '../relay/settings.ts';

export type CommonSettings = Pick<RelaySettings, 'routes' | 'tracing' | 'timeLimits'>;

export function relaySettings(config: Config, tracing: SamplerSettings | undefined): CommonSettings {
  return {
    routes: config.routes.map(({ name, prefix, host, upstream }) => ({
      name,
      prefix,
      host,
      upstream: upstreamTarget(config, upstream),
    })),
    tracing,
    timeLimits: config.timeouts,
  };
}

function upstreamTarget({ hostHeader, upstreamTls }: Config, address: UpstreamAddress): UpstreamTarget {
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

/** The sampler that `OTEL_TRACES_SAMPLER` asks for; the specification's default is parentbased_always_on. */
export function samplerSettings(env: Readonly<Record<string, string | undefined>>): SamplerSettings {
  const name = (env['OTEL_TRACES_SAMPLER'] ?? '').trim().toLowerCase() || 'parentbased_always_on';
  const parentBased = name.startsWith('parentbased_');
  const root = name.replace('parentbased_', '');
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? '1');
  return {
    root: root === 'always_off' || root === 'traceidratio' ? root : 'always_on',
    ratio: Number.isFinite(ratio) ? Math.min(1, Math.max(0, ratio)) : 1,
    parentBased,
  };
}
