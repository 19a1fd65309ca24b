// Looking up fields in a head, carried as names and values in turn: order, case and repetitions of
// the wire are kept, and a look-up costs nothing for the names it does not want.

/** Value of the first field of that (lower-case) name. */
export function fieldValue(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) {
    if ((fields[i] as string).length === name.length && (fields[i] as string).toLowerCase() === name) {
      return fields[i + 1];
    }
  }
  return undefined;
}

/** All values of that name, joined as a list; undefined when there is none. */
export function fieldList(fields: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    if ((fields[i] as string).length !== name.length || (fields[i] as string).toLowerCase() !== name) continue;
    joined = joined === undefined ? (fields[i + 1] as string) : `${joined}, ${fields[i + 1] as string}`;
  }
  return joined;
}

/** The members of a comma-separated field, lower case. */
export function listMembers(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value
    .toLowerCase()
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
}
