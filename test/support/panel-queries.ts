// Every query of every dashboard, as Prometheus would get it from Grafana: variables in the place of which "All" is
// chosen, and intervals as a panel would have them.
import type { ClassSpec } from '../../src/record/traffic-class.ts';
import type { Need } from '../../src/telemetry/grafana/needs.ts';
import { dashboards } from '../../src/telemetry/grafana/table.ts';

export interface PanelQuery {
  /** Uid of the dashboard. */
  readonly dashboard: string;
  readonly panel: string;
  readonly legend: string;
  readonly expr: string;
  /** What has to be switched on, or to happen first, or the query brings nothing. */
  readonly needs: readonly Need[];
  /** A gap in the line of a share is the answer where the whole of it is 0. */
  readonly isShare: boolean;
}

export interface QueryTimes {
  /** What Grafana makes of `$__rate_interval`: four scrapes at the least. */
  readonly rateInterval?: string;
  /** What it makes of `$__range`. */
  readonly range?: string;
}

export function panelQueries(times: QueryTimes = {}, classes: readonly ClassSpec[] = []): PanelQuery[] {
  return dashboards(classes).flatMap(({ uid, rows }) =>
    rows
      .flatMap(({ panels }) => panels)
      .flatMap(({ title, targets }) =>
        targets.map(({ ask, legend, needs = [] }) => ({
          dashboard: uid,
          panel: title,
          legend,
          expr: substituted(ask.expr, times),
          needs,
          isShare: ask.expr.includes('\n/'),
        })),
      ),
  );
}

/** With `All` chosen in each variable. */
export function substituted(expr: string, { rateInterval = '1m', range = '1h' }: QueryTimes = {}): string {
  return expr
    .replaceAll('$__rate_interval', rateInterval)
    .replaceAll('$__range', range)
    .replaceAll(/\$(?:job|instance)\b/g, '.+')
    .replaceAll(/\$(?:class|model|route)\b/g, '.*');
}
