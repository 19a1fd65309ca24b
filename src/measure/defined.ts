// Leaves out what is unknown. Figures say "absent" by a missing key, so that a figure survives JSON
// unchanged and nobody can read an unknown as a value.

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value; keys with `undefined` are left out. */
export function defined<T extends object>(fields: T): Defined<T> {
  // Called some twenty times an exchange: lists of its keys were made for nothing but this walk.
  const known: Defined<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) known[key] = value as Exclude<T[typeof key], undefined>;
  }
  return known;
}
