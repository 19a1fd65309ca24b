// Goal: an exchange that has ended and waits for evidence is known as such until its report is made, and no longer.
// Method: a real observer with a source of evidence that has none yet.
import { afterEach, expect, test, vi } from 'vitest';
import { createStage, DONE, FINISH, text } from './tape-play.ts';

afterEach(() => vi.useRealTimers());

function play(awaits: boolean) {
  const source = { name: 'late', evidenceFor: () => [], awaits: () => awaits };
  const stage = createStage({ lateSources: [source], evidenceWaitMs: 2_000 });
  const exchange = stage.exchange(1);
  exchange
    .request({ model: 'm', stream: true })
    .head(1)
    .chunk(2, text('a'))
    .chunk(30, `${text('b')}${FINISH}${DONE}`);
  const [open] = stage.observer.openExchanges();
  return { ...stage, exchange, id: open?.id ?? '' };
}

test('it is settling from its end to its report', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'hrtime'] });
  const { observer, exchange, id, sink } = play(true);
  const { closing } = observer;
  expect([id === '', closing.isSettling(id)]).toEqual([false, false]);
  exchange.end(31);
  expect([closing.isSettling(id), sink.reports.length, observer.openExchanges().length]).toEqual([true, 0, 0]);
  observer.settleAll();
  expect([closing.isSettling(id), sink.reports.length]).toEqual([false, 1]);
});

test('where nothing more is expected it never is', () => {
  const { observer, exchange, id, sink } = play(false);
  exchange.end(31);
  expect([observer.closing.isSettling(id), sink.reports.length]).toEqual([false, 1]);
});
