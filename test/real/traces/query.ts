// Asks Jaeger for traces as its users' tools do. By its API of version 3 spans come back as OTLP, as they were sent;
// the older one, which its page uses, searches by attributes. Knows nothing of what the spans should be.
import { poll } from '../../support/signal.ts';
import { plainAttributes, type CaughtSpan } from '../../support/otlp-catcher.ts';

export interface StoredSpan extends CaughtSpan {
  /** `service.name` of its resource. */
  readonly service: string;
}

interface Answer {
  readonly result?: {
    readonly resourceSpans?: readonly {
      readonly resource?: { readonly attributes?: CaughtSpan['attributes'] };
      readonly scopeSpans?: readonly { readonly spans?: readonly CaughtSpan[] }[];
    }[];
  };
}

/** Spans come by several ways, each in its own time. */
const WAIT_MS = 60_000;
const LOOK_EVERY_MS = 250;

export interface Wanted {
  readonly spanCount: number;
  /** As sent (the default), or as Jaeger shows it: it notes what it doubts, on the spans that it keeps. */
  readonly form?: 'raw' | 'adjusted';
}

/** The spans of a trace once it has so many, or an error that names those it has. */
export async function traceOf(
  url: string,
  traceId: string,
  { spanCount, form = 'raw' }: Wanted,
): Promise<StoredSpan[]> {
  let names = 'none';
  const look = async (): Promise<StoredSpan[] | undefined> => {
    const response = await fetch(`${url}/api/v3/traces/${traceId}?raw_traces=${form === 'raw'}`);
    if (response.status === 404) return undefined;
    const spans = spansIn((await response.json()) as Answer);
    names = spans.map(({ service, name }) => `${service}: ${name}`).join(', ');
    return spans.length >= spanCount ? spans : undefined;
  };
  return poll(`${spanCount} spans of a trace`, look, WAIT_MS, LOOK_EVERY_MS).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}; there are ${names}`, { cause: error });
  });
}

function spansIn({ result }: Answer): StoredSpan[] {
  return (result?.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(plainAttributes(resource?.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => ({ ...span, service })));
  });
}

/** Ids of the traces in which some span, or event, of a service has these attributes. */
export async function tracesWith(
  url: string,
  service: string,
  attributes: Readonly<Record<string, string>>,
): Promise<string[]> {
  const query = new URLSearchParams({ service, tags: JSON.stringify(attributes), limit: '100', lookback: '1h' });
  const response = await fetch(`${url}/api/traces?${query}`);
  if (!response.ok) throw new Error(`the search was answered ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { traceID: string }[] };
  return data.map(({ traceID }) => traceID);
}
