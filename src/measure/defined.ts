// Leaves out what is unknown. Figures say "absent" by a missing key, so that a figure survives JSON
// unchanged and nobody can read an unknown as a value.

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value; keys with `undefined` are left out. */
export function defined<T extends object>(fields: T): Defined<T> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Defined<T>;
}
