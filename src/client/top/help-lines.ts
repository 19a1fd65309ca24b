// The page behind `?`: what the keys do, and how the picture is read.
import type { Picture } from './picture.ts';
import { cut } from './text.ts';

const LINES = [
  '',
  'q, Ctrl-C      quit',
  's              sort the open streams: silence, worst gap, age, chunks',
  'c              one class after the other, then all again',
  'p, space       hold the picture, and go on; a held one costs the sidecar nothing',
  'arrows, j, k   move by one stream; PgUp and PgDn by a page, Home and End to the ends',
  '?, h           this page; any key leaves it',
  '',
  'Lengths are in ms. "–" is unknown, or too few values to say: p95 needs 20, p99 needs 100.',
  'TTFT           request head received to first token handed to the kernel, of one exchange in its parts:',
  '               Q queue  P prefill  n network  r rubato  o other  E engine (queue and prefill not known)',
  "gaps p99       height: the slowest hundredth of the gaps at that moment; red from the class's stall on",
  'last 30 s      a stream: dots above are chunks received, dots below are chunks handed to the kernel;',
  '               a dashed line is a stall, with its cause behind it once it is known',
  'kept           exchanges that kept every objective, of those that were promised one',
] as const;

export function helpLines({ width }: Picture): string[] {
  return LINES.map((line) => cut(line, width));
}
