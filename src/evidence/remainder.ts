// What is left of a length when its known parts are taken away. Pure.

/** Two clocks, or one that was read at slightly different moments, may differ by so much. */
const ROUNDING_NS = 2_000_000;

/** Nothing left, or a little less than nothing, is 0; clearly less means that the parts are not parts. */
export function remainderNs(wholeNs: number, partsNs: number): number | undefined {
  const restNs = wholeNs - partsNs;
  return restNs < -ROUNDING_NS ? undefined : Math.max(0, restNs);
}
