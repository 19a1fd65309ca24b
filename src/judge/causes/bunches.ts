// Which gaps of a stream are none: what came at once is only as far apart as packets are. Pure.

/** Back to back on a wire; an engine's step is longer, or all of them are so short. */
const BACK_TO_BACK_NS = 3e6;
/** And far shorter than the longest of so many gaps around it: in a bunch there is always a pass close by. */
const PART = 8;
const AROUND_COUNT = 8;

/** The gaps that are steps, or passes of several tokens each; those within bunches are left out. */
export function passesOf(gapsNs: readonly number[]): number[] {
  return gapsNs.filter((gapNs, index) => {
    if (gapNs >= BACK_TO_BACK_NS) return true;
    return !gapsNs
      .slice(Math.max(0, index - AROUND_COUNT), index + AROUND_COUNT + 1)
      .some((other) => gapNs * PART < other);
  });
}
