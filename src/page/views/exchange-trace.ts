// Where a trace is looked at: the link that configuration gives, with the trace put into it. Pure.

/** Undefined unless it leads to a web page: what stands in a configuration file must not run as script. */
export function traceHref(template: string | undefined, traceId: string): string | undefined {
  if (template === undefined) return undefined;
  const href = template.replaceAll('{traceId}', encodeURIComponent(traceId));
  return /^https?:\/\//i.test(href) ? href : undefined;
}
