// Goal: an exchange that has ended is told of as none, so that nobody who keeps the last number shows it as open.
// Method: one reader over exchanges that come and go, as plain values.
import { expect, it } from 'vitest';
import type { OpenExchange } from '../../../src/judge/report.ts';
import { countActive } from '../../../src/telemetry/active-gauge.ts';

type Open = Pick<OpenExchange, 'class' | 'model' | 'phase'>;

it('what was open once is told at 0 ever after, and is counted again when it comes back', () => {
  let open: Open[] = [];
  const read = countActive(
    () => open,
    () => [],
  );
  const told = (): unknown[] => read().map(({ labels, value }) => [labels['class'], labels['phase'], value]);
  expect(told()).toEqual([]);
  open = [
    { class: 'a', model: 'm', phase: 'stream' },
    { class: 'a', model: 'm', phase: 'stream' },
  ];
  expect(told()).toEqual([['a', 'stream', 2]]);
  open = [{ class: 'a', model: 'm', phase: 'silent' }];
  expect(told()).toEqual([
    ['a', 'stream', 0],
    ['a', 'silent', 1],
  ]);
  open = [];
  expect(told()).toEqual([
    ['a', 'stream', 0],
    ['a', 'silent', 0],
  ]);
});

it('a class that is configured later is there from then on, in every phase', () => {
  let classes: string[] = ['a'];
  const read = countActive(
    () => [],
    () => classes,
  );
  expect(read()).toHaveLength(5);
  classes = ['a', 'b'];
  expect(read()).toHaveLength(10);
  expect(read().every(({ value }) => value === 0)).toBe(true);
});
