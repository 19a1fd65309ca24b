// The fields of the request that goes on: those of the client that pass, and the few that are ours.
import { fieldList, fieldValue } from '../base/fields.ts';
import type { TraceIds } from '../tape/entries.ts';
import { asksForWebSocket, passFields } from './headers.ts';
import { authorityOf } from './routes.ts';
import type { RouteRule, SamplerSettings } from './settings.ts';
import { stepTrace } from './trace-context.ts';

const HOST_ONLY: ReadonlySet<string> = new Set(['host']);

export interface Passage {
  /** Undefined when the request goes nowhere. */
  readonly route: RouteRule | undefined;
  readonly isUpgrade: boolean;
  readonly tracing: SamplerSettings | undefined;
}

export function fieldsFor(
  raw: readonly string[],
  { route, isUpgrade, tracing }: Passage,
): { fields: readonly string[]; ids: TraceIds | undefined } {
  const hostField = route?.upstream.hostField;
  const fields = passFields(raw, hostField === undefined ? undefined : HOST_ONLY);
  if (hostField !== undefined) fields.unshift('Host', hostField);
  // HTTP/1.0 clients may name no host; the request that goes on is HTTP/1.1, where it must be named.
  else if (route && fieldValue(fields, 'host') === undefined) fields.unshift('Host', authorityOf(route.upstream));
  if (/\btrailers\b/i.test(fieldList(raw, 'te') ?? '')) fields.push('TE', 'trailers');
  if (isUpgrade && asksForWebSocket(raw))
    fields.push('Connection', 'Upgrade', 'Upgrade', fieldList(raw, 'upgrade') ?? '');
  if (tracing === undefined) return { fields, ids: undefined };
  return stepTrace(fields, tracing);
}
