// Whether what is written to somebody may have colours.

/** Colour is for terminals whose owner did not say no (https://no-color.org). */
export function useColor(
  out: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return out.isTTY === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}
