// How many exchanges are under way, by class, model and what they wait for: read whenever somebody asks. Knows nothing
// of where the open ones are kept, nor of who asks.
import type { OpenExchange } from '../judge/report.ts';
import type { Observation } from './store.ts';

type Open = Pick<OpenExchange, 'class' | 'model' | 'phase'>;
interface Counted {
  readonly labels: Record<'class' | 'model' | 'phase', string>;
  count: number;
}

const PHASES: readonly OpenExchange['phase'][] = ['turn', 'head', 'token', 'stream', 'silent'];

/**
 * Gives the reader. What was told once is told again, at 0 when there is none: whoever takes OTLP cannot know that a
 * gauge has gone, and a Collector would show the last number of an evening's streams for minutes. Classes, models
 * and phases have caps of their own, so this has one too.
 */
export function countActive(open: () => Iterable<Open>, classes: () => readonly string[]): () => Observation[] {
  const known = new Map<string, Counted>();
  const seriesOf = ({ class: name, model, phase }: Omit<Open, 'phase'> & { readonly phase: string }): Counted => {
    const key = `${name}\u0000${model}\u0000${phase}`;
    const counted = known.get(key) ?? { labels: { class: name, model, phase }, count: 0 };
    known.set(key, counted);
    return counted;
  };
  return () => {
    for (const counted of known.values()) counted.count = 0;
    for (const name of classes()) for (const phase of PHASES) seriesOf({ class: name, model: 'other', phase });
    for (const exchange of open()) seriesOf(exchange).count += 1;
    return Array.from(known.values(), ({ labels, count: value }) => ({ labels, value }));
  };
}
