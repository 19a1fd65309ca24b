// How a run was set up, in the words of GuideLLM's configuration (guidellm 0.8.1). Pure.
import { LOAD_DURATION_MAX_S } from '../../../base/load-limits.ts';
import { defined } from '../../../measure/defined.ts';
import type { LoadOptions } from '../options.ts';
import { least, most } from './extremes.ts';
import type { KeptRequest } from './request.ts';

const MS_PER_S = 1e3;

/** Moments that no kind of GuideLLM draws were settled beforehand, as those of a trace are. */
export function strategyJson({ schedule, concurrency, seed }: LoadOptions): Readonly<Record<string, unknown>> {
  const limits = { worker_count: 1, max_concurrency: concurrency };
  if (schedule.kind === 'closed') return { type_: 'concurrent', ...limits, streams: concurrency };
  const arrivals = schedule.kind === 'open' ? schedule.arrivals : undefined;
  if (arrivals?.kind === 'constant') return { type_: 'constant', ...limits, rate: arrivals.perSecond };
  if (arrivals?.kind === 'poisson') return { type_: 'poisson', ...limits, rate: arrivals.perSecond, random_seed: seed };
  return { type_: 'trace', ...limits, schedule_turn: 'timestamp' };
}

/** Of runs that follow upon each other. */
export function profileJson(runs: readonly LoadOptions[]): object {
  const strategies = runs.map(strategyJson);
  const [first] = strategies;
  const warmup = { warmup: warmupJson(runs[0]?.warmupMs ?? 0) };
  const each = (name: string): unknown[] => strategies.map((strategy) => strategy[name]);
  switch (first?.['type_']) {
    case 'concurrent':
      return { kind: 'concurrent', streams: each('streams'), ...warmup };
    case 'constant':
    case 'poisson':
      return { kind: first['type_'], rate: each('rate'), max_concurrency: runs[0]?.concurrency, ...warmup };
    default:
      return { kind: 'replay', schedule_turn: 'timestamp', ...warmup };
  }
}

interface Constraint {
  readonly kind: string;
  readonly seconds?: number;
  readonly count?: number;
}

/** Its limits are those of the whole run, warm-up and all. */
export function constraintsJson({ warmupMs, durationMs, count }: LoadOptions): readonly Constraint[] {
  const isTimed = durationMs < LOAD_DURATION_MAX_S * MS_PER_S;
  const seconds = (warmupMs + durationMs) / MS_PER_S;
  return [
    // The longest time that can be asked for stands where only a count ends the run.
    ...(isTimed ? [{ kind: 'max_duration', seconds }] : []),
    ...(count === undefined || warmupMs > 0 ? [] : [{ kind: 'max_requests', count }]),
  ];
}

/** Without a key, a query, and what the user adds to fields and bodies, which may be secret. */
export function backendJson({ target, model, silenceMaxMs, tls }: LoadOptions): object {
  const { url, api } = target;
  return {
    kind: 'openai_http',
    target: url.origin,
    model,
    request_format: api.path,
    ...defined({ api_routes: url.pathname === api.path ? undefined : { [api.path]: url.pathname.replace(/^\//, '') } }),
    timeout: silenceMaxMs / MS_PER_S,
    // Connecting has no limit of its own.
    timeout_connect: null,
    http2: false,
    follow_redirects: false,
    verify: !tls.insecure,
    stream: true,
  };
}

export function warmupJson(warmupMs: number): object {
  return warmupMs === 0 ? {} : { value: warmupMs / MS_PER_S, mode: 'duration' };
}

/** Lengths as they were asked for, of all that was sent: a mix, a list and a trace have no other common word. */
export function dataJson(requests: readonly KeptRequest[]): object {
  return {
    kind: 'synthetic_text',
    ...lengthsJson(
      'prompt_tokens',
      requests.map(({ plannedPromptTokens }) => plannedPromptTokens),
    ),
    ...lengthsJson(
      'output_tokens',
      requests.map(({ plannedOutputTokens }) => plannedOutputTokens),
    ),
  };
}

function lengthsJson(name: string, lengths: readonly number[]): object {
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const variance = lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / lengths.length;
  const deviation = Math.round(Math.sqrt(variance));
  return {
    [name]: Math.round(mean),
    // A deviation of 0 is none to GuideLLM.
    ...(deviation > 0 && { [`${name}_stdev`]: deviation }),
    [`${name}_min`]: least(lengths),
    [`${name}_max`]: most(lengths),
  };
}
