// Reads the media type out of a Content-Type field. Knows nothing of bodies.
// Comparing the whole field for equality is the classic mistake: `text/event-stream; charset=utf-8`
// is as good an event stream as one without parameters, and case does not matter (RFC 9110 §8.3.1).

/** Type and subtype in lower case without parameters; undefined when there is none. */
export function parseMediaType(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  const end = field.indexOf(';');
  const essence = (end === -1 ? field : field.slice(0, end)).trim().toLowerCase();
  return essence === '' ? undefined : essence;
}

/** JSON by name or by structured suffix, such as `application/problem+json` (RFC 6839). */
export function isJsonMediaType(essence: string): boolean {
  return essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json');
}
