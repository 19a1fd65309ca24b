// One look at a page on which an engine may publish its metrics: what it tells, and when, or why it tells
// nothing. Knows where such pages stand, and nothing of when they are asked for.
import { nowNs } from '../../base/clock.ts';
import { POLL_BODY_MAX_BYTES } from '../../base/poll-limits.ts';
import type { Failure, MetricsClient } from './metrics-client.ts';
import { MetricsScanner, type Page } from './prometheus-text.ts';
import { ENGINE_METRIC_NAMES, readEngine } from './reading.ts';
import type { Poll } from './window.ts';

export const PLAIN_PATH = '/metrics';
/** TensorRT-LLM has JSON at the usual path, and reading it takes it from whoever else reads it. */
export const TENSOR_RT_LLM_PATH = '/prometheus/metrics';

/** `form` is there when a page was read. */
export type Look = { readonly poll: Poll } | { readonly failure: Failure; readonly form?: Page['form'] };

export async function lookAt(url: string, client: MetricsClient): Promise<Look> {
  const scanner = new MetricsScanner(ENGINE_METRIC_NAMES);
  const askedAtNs = nowNs();
  const failure = await client.ask({ url, maxBytes: POLL_BODY_MAX_BYTES, onText: (text) => scanner.feed(text) });
  const answeredAtNs = nowNs();
  if (failure !== undefined) return { failure };
  const { form, samples } = scanner.end();
  if (form !== 'metrics') return { failure: { fault: 'no_metrics' }, form };
  const reading = readEngine(samples);
  return reading === undefined
    ? { failure: { fault: 'unknown_names' }, form }
    : { poll: { askedAtNs, answeredAtNs, reading } };
}
