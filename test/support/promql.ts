// What an expression of PromQL asks for, read by the grammar of Prometheus's own editor: selectors with the labels
// that they match and the function around them, and labels that are grouped by.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  /** `rubato_stalls_total{cause="client"}` and the like, without range and offset. */
  readonly text: string;
  readonly metric: string;
  readonly labels: readonly string[];
  /** The function that takes its range; absent of a selector without one. */
  readonly over?: string;
}

export interface Grouping {
  readonly labels: readonly string[];
  /** What is grouped. */
  readonly of: readonly Selector[];
}

export interface Query {
  /** Places where the grammar cannot go on, as `text from here`. */
  readonly faults: readonly string[];
  readonly selectors: readonly Selector[];
  readonly groupings: readonly Grouping[];
  readonly functions: readonly string[];
}

export function readPromql(expr: string): Query {
  const tree = parser.parse(expr);
  const faults: string[] = [];
  const functions: string[] = [];
  const groupings: Grouping[] = [];
  tree.iterate({
    enter({ type, name, from, to, node }) {
      if (type.isError) faults.push(expr.slice(from, from + 30));
      if (name === 'FunctionIdentifier' || name === 'AggregateOp') functions.push(expr.slice(from, to));
      if (name === 'AggregateModifier') groupings.push(groupingOf(expr, node));
    },
  });
  return { faults, functions, groupings, selectors: selectorsIn(expr, tree.topNode) };
}

/** Metrics as rubato exposes them, without series that rules record. */
export function metricsOf(expr: string): string[] {
  return readPromql(expr).selectors.flatMap(({ metric }) => (metric.includes(':') ? [] : [metric]));
}

function groupingOf(expr: string, modifier: SyntaxNode): Grouping {
  const aggregate = modifier.parent;
  return {
    labels: namesIn(expr, modifier, 'LabelName'),
    of: aggregate === null ? [] : selectorsIn(expr, aggregate),
  };
}

function selectorsIn(expr: string, within: SyntaxNode): Selector[] {
  return nodesIn(within, 'VectorSelector').map((node) => {
    const [metric = ''] = namesIn(expr, node, 'Identifier');
    const over = functionOver(expr, node);
    const text = expr.slice(node.from, node.to);
    return { text, metric, labels: namesIn(expr, node, 'LabelName'), ...(over !== undefined && { over }) };
  });
}

/** The call whose range the selector is. */
function functionOver(expr: string, selector: SyntaxNode): string | undefined {
  const matrix = selector.parent;
  if (matrix?.name !== 'MatrixSelector') return undefined;
  let node = matrix.parent;
  while (node !== null && node.name !== 'FunctionCall') node = node.parent;
  const name = node?.getChild('FunctionIdentifier');
  return name === null || name === undefined ? undefined : expr.slice(name.from, name.to);
}

function namesIn(expr: string, within: SyntaxNode, kind: string): string[] {
  return nodesIn(within, kind).map(({ from, to }) => expr.slice(from, to));
}

function nodesIn(within: SyntaxNode, kind: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const cursor = within.cursor();
  const end = within.to;
  do {
    if (cursor.from >= within.from && cursor.to <= end && cursor.name === kind) found.push(cursor.node);
  } while (cursor.next() && cursor.from <= end);
  return found;
}
