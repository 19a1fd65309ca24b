// Finds what somebody probably meant to write. Pure; used for flags, YAML keys and variables.

/** Edits (insert, delete, replace) between two words; two rows of the usual table are enough. */
function editCount(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll('_', '-');
}

/**
 * The nearest of `names`, or undefined when none is near: a guess that shares too little with the
 * word would only mislead. Case and the choice of `-` or `_` are not counted as edits.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, edits: editCount(plain(word), plain(name)) }))
    .toSorted((left, right) => left.edits - right.edits);
  const best = ranked[0];
  if (best === undefined) return undefined;
  return best.edits <= Math.max(1, Math.floor((word.length * 2) / 5)) ? best.name : undefined;
}

/** ` Did you mean "x"?`, or nothing when there is no near name. */
export function didYouMean(word: string, names: readonly string[], prefix = ''): string {
  const name = nearest(word, names);
  return name === undefined ? '' : ` Did you mean "${prefix}${name}"?`;
}
