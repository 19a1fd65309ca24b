// What an expression of PromQL asks of the store, one vector selector at a time, by Prometheus' own grammar.
import { parser } from '@prometheus-io/lezer-promql';

/** `rubato_stalls_total{cause="client"}` and the like, without ranges and offsets. */
export function selectorsOf(expr: string): string[] {
  const found = new Set<string>();
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL near ${expr.slice(node.from, node.to)}: ${expr}`);
      if (node.name === 'VectorSelector') found.add(expr.slice(node.from, node.to));
    },
  });
  return [...found];
}
