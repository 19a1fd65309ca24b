// What a relay thread is told, and what it tells: plain data that survives structured cloning. The
// relay reads no configuration, no environment and no file but those in which the system says how names are
// found.

import type { AdmissionRules } from './admission-classes.ts';
import type { AdmissionSettings } from './admission-limits.ts';
import type { TlsPair } from './listener-tls.ts';

export interface UpstreamTarget {
  readonly secure: boolean;
  /** Name or address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Replaces the client's `Host`; undefined passes it on. */
  readonly hostField: string | undefined;
  /** PEM text of further certificate authorities for this upstream. */
  readonly ca: string | undefined;
  /** Skips certificate checks; only ever by explicit configuration. */
  readonly insecure: boolean;
}

/** First rule that matches wins; a rule without conditions matches everything. */
export interface RouteRule {
  /** Names the route on the tape. It stays when the configuration is read anew, and is used for no other. */
  readonly id: number;
  readonly name: string;
  readonly prefix: string | undefined;
  /** Host name (lower case, without port) the request must be addressed to. */
  readonly host: string | undefined;
  readonly upstream: UpstreamTarget;
}

export interface SamplerSettings {
  readonly root: 'always_on' | 'always_off' | 'traceidratio';
  readonly ratio: number;
  /** A caller's decision is followed. */
  readonly parentBased: boolean;
}

/** Limits that are off (undefined) unless configured, in ms. */
export interface TimeLimits {
  readonly connectMs: number | undefined;
  readonly headMs: number | undefined;
  readonly idleMs: number | undefined;
  readonly totalMs: number | undefined;
  /** How long the client may take none of the bytes that wait for it. */
  readonly clientStallMs: number | undefined;
  /** How long the engine may take none of the bytes of a request that wait for it. */
  readonly uploadStallMs: number | undefined;
}

export const NO_LIMITS: TimeLimits = {
  connectMs: undefined,
  headMs: undefined,
  idleMs: undefined,
  totalMs: undefined,
  clientStallMs: undefined,
  uploadStallMs: undefined,
};

/** What may change while a relay runs. Each exchange keeps to what held when it was admitted. */
export interface LiveSettings {
  readonly routes: readonly RouteRule[];
  /** Where each further listener leads, in their order: to a hop, whatever is asked for. */
  readonly edges: readonly RouteRule[];
  /** Take part in tracing; undefined passes `traceparent` on untouched. */
  readonly tracing: SamplerSettings | undefined;
  readonly timeLimits: TimeLimits;
  /** Room of this relay. */
  readonly admission: AdmissionSettings;
  /** Who waits for whom; undefined holds nobody back. */
  readonly turns: AdmissionRules | undefined;
}

export interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

export interface ListenAddress extends ListenPlace {
  /** Other relays listen there as well. */
  readonly shared: boolean;
}

/** Told when its thread is started, before it is any relay in particular. */
export interface RelayBoot {
  /** Rehearse first, so that the first clients do not pay for a cold start. */
  readonly warmUp: boolean;
  readonly clockBaseSeconds: number;
  /** The priority to work at; undefined where threads have none of their own. */
  readonly nice: number | undefined;
}

export interface RelaySettings extends LiveSettings {
  readonly tape: SharedArrayBuffer;
  /** TLS towards clients; undefined speaks plain HTTP. */
  readonly tls: TlsPair | undefined;
  /** Clients may speak HTTP/2 as well. */
  readonly http2: boolean;
}

/** Main → relay. */
export type RelayCommand =
  /** The first command: until it comes a relay is booted and waits. The main address is first, edges follow. */
  | { readonly type: 'listen'; readonly addresses: readonly ListenAddress[]; readonly settings: RelaySettings }
  | { readonly type: 'configure'; readonly settings: LiveSettings }
  /** A newer certificate, only where there was one before. */
  | { readonly type: 'tls'; readonly pair: TlsPair }
  /** Given again, it moves the limit. */
  | { readonly type: 'drain'; readonly withinMs: number }
  /** The kernel says that the client of this exchange has gone, which nobody reading can see. */
  | { readonly type: 'client_gone'; readonly exchange: number };

/** Relay → main. */
export type RelayMessage =
  /** On all addresses, told in their order. */
  | { readonly type: 'listening'; readonly places: readonly ListenPlace[] }
  /** `listener` is the place among the addresses of the one that cannot be had. */
  | { readonly type: 'listen_failed'; readonly listener: number; readonly code: string; readonly message: string }
  | { readonly type: 'configured' }
  /** A fault that nobody caught: it has begun to drain by itself. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'drained'; readonly cutCount: number };
