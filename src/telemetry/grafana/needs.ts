// Why a panel can be empty although rubato is there and streams pass: what has to be switched on, or has to happen
// first. A panel says so itself, for an empty one looks broken.

export const NEEDS = {
  admission: 'until a request waits in the admission queue (key `admission`)',
  edge: 'without an edge before a hop (`--edge`) or a rubato behind one (`--peer`)',
  engine:
    'unless rubato finds metrics of the engine that it knows (`--engine-metrics`), and for what the engine leaves out',
  faults: 'until a look at the metrics of an engine brings nothing',
  floor: 'without `--engine-model` and `--engine-hardware`',
  gpus: 'without `--gpu-metrics`',
  jobs: 'until requests name a batch job in `x-job-id`',
  objectives: 'until a class has objectives and an exchange that they are for',
  otlp: 'without `--otlp-listen`',
  parts: 'where nobody says, and no calibrated model estimates, when the engine began',
  pooled: 'without an objective of the kind `gap_pooled`',
  quota: 'outside of a container with a CPU quota',
  reasoning: 'until a stream begins with reasoning',
  rules: 'unless Prometheus evaluates the rules of `rubato rules`',
  sinks: 'without an OTLP endpoint and without `--record`',
  steps: 'below 50 decode steps in a minute',
  tokens: 'where the engine states no token counts',
  'running count': 'unless the engine states a running token count with every output',
} as const;

export type Need = keyof typeof NEEDS;

/** One sentence for all of them. */
export function emptyUnless(needs: readonly Need[]): string {
  const reasons = needs.map((need) => NEEDS[need]);
  return reasons.length === 0 ? '' : `Empty ${reasons.join('; ')}.`;
}
