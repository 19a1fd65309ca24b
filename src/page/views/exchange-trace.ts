// Where a trace is looked at: the link that configuration gives, with the trace put into it. Pure.
import { webHref } from '../shell/web-href.ts';

/** Undefined unless it leads to a web page. */
export function traceHref(template: string | undefined, traceId: string): string | undefined {
  return webHref(template?.replaceAll('{traceId}', encodeURIComponent(traceId)));
}
