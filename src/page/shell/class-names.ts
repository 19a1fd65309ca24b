// Which classes the page can be narrowed to. Pure; knows neither the list they stand in nor who chose.
import type { LiveModel } from '../../telemetry/live/model.ts';

/**
 * Those that there are now, and the one that is chosen: after a restart with another configuration nobody may know it
 * any more, and whoever chose it must see why so little is shown, and get out of it again.
 */
export function classNamesOf(
  { state, open }: Pick<LiveModel, 'state' | 'open'>,
  className: string | undefined,
): string[] {
  const names = new Set([...state.classes.map((each) => each.class), ...open.map(({ row }) => row.class)]);
  if (className !== undefined) names.add(className);
  return [...names].toSorted();
}
