// A link that configuration gives, if it leads to a web page: what stands in a configuration file must not run as
// script. Pure.

export function webHref(text: string | undefined): string | undefined {
  return text !== undefined && /^https?:\/\//i.test(text) ? text : undefined;
}
