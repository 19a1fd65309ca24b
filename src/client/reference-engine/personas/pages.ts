// Small pages that several engines have.
import type { Page, PageContext, Persona } from '../persona.ts';

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** What a service of somebody else shows of its servers. */
export const NO_PAGES = { pages: [], metrics: [], metricLabels: () => ({}) } as const satisfies Partial<Persona>;

export function metricsPageAt(path: string): Page {
  return {
    path,
    signal: 'metrics',
    body: ({ metrics, state }) => ({ text: metrics.render(state), type: PROMETHEUS_TYPE }),
  };
}

/** `/v1/models` in OpenAI's words. */
export function modelList({ models, startedEpochS }: PageContext, ownedBy: string): object {
  const data = models.map((id) => ({ id, object: 'model', created: startedEpochS, owned_by: ownedBy }));
  return { object: 'list', data };
}
