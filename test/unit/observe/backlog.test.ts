// Goal: those count as the engine's backlog that it has and has given no token; who stands in line here, is served already,
// asks for no work or is seen before a hop does not.
// Method: exchanges played to an observer, looked at while they are open.
import { expect, test } from 'vitest';
import { backlogs } from '../../../src/observe/backlog.ts';
import type { ObservedRoute } from '../../../src/observe/observer-options.ts';
import { createStage, text, type Play } from './tape-play.ts';

const CHAT = { model: 'm', stream: true };
const MAIN: ObservedRoute = { name: 'main', engine: undefined };

test.each([
  ['that the engine has', (play: Play) => play.request(CHAT).mark('connectStart', 1), 1],
  ['whose head came and no token', (play: Play) => play.request(CHAT).mark('connectStart', 1).head(1), 1],
  [
    'that has a token',
    (play: Play) => play.request(CHAT).mark('connectStart', 1).head(1).chunk(2, text('a')),
    undefined,
  ],
  ['that stands in line', (play: Play) => play.request(CHAT), undefined],
] as const)('an exchange %s', (_what, tell, expected) => {
  const { observer, exchange } = createStage();
  tell(exchange(1));
  expect(backlogs(observer.openObserved(), [MAIN]).get('main')).toBe(expected);
});

test('an exchange that asks for no work, or is seen before a hop', () => {
  const { observer, exchange } = createStage();
  exchange(1, { method: 'GET' }).mark('connectStart', 1);
  exchange(2).request(CHAT).mark('connectStart', 1);
  expect(backlogs(observer.openObserved(), [{ ...MAIN, edge: 'gateway' }]).size).toBe(0);
  expect(backlogs(observer.openObserved(), [MAIN]).get('main')).toBe(1);
});
