// The files that dashboards come in, as text: one JSON a dashboard, named after its uid.
import type { ClassSpec } from '../../record/traffic-class.ts';
import { dashboardJson, type DashboardOptions } from './dashboard-json.ts';
import { dashboards } from './table.ts';

export interface DashboardFile {
  readonly name: string;
  readonly title: string;
  /** The question that it answers. */
  readonly answers: string;
  readonly text: string;
}

export function dashboardFiles(classes: readonly ClassSpec[], options: DashboardOptions = {}): DashboardFile[] {
  return dashboards(classes).map((dashboard) => ({
    name: `${dashboard.uid}.json`,
    title: dashboard.title,
    answers: dashboard.description,
    text: `${JSON.stringify(dashboardJson(dashboard, options), undefined, 2)}\n`,
  }));
}
