// Goal: of many open exchanges those are listed that are silent longest, then the oldest; one that is asked for by its
// id tells what its record would have by now. Method: a real observer, and the entries of a tape told by hand.
import { expect, test } from 'vitest';
import { openDetail, openSights } from '../../../src/app/open-sights.ts';
import { createStage, OPENED_AT_NS, text, type Stage } from '../observe/tape-play.ts';

const CHAT = { model: 'm', stream: true };

/** An exchange that opened so many ms after the first one, with a token at each of these moments of its own. */
function play(stage: Stage, number: number, afterMs: number, tokensMs: readonly number[]): void {
  const exchange = stage.exchange(number, { openedAtNs: OPENED_AT_NS + afterMs * 1e6 });
  exchange.request(CHAT).mark('requestSent', 1).head(2);
  for (const atMs of tokensMs) exchange.chunk(atMs, text('a'));
}

function opened(): Stage {
  const stage = createStage();
  play(stage, 1, 0, [100, 800]);
  // Its last token came earlier than the first one's, though it opened later.
  play(stage, 2, 50, [100, 400]);
  play(stage, 3, 20, []);
  play(stage, 4, 10, []);
  return stage;
}

test('those that are silent longest come first, then those that wait for their first token, the oldest first', () => {
  const { observer } = opened();
  const { openCount, sights } = openSights(observer, 10);
  expect([openCount, sights.map(({ view }) => view.id.split('-')[1])]).toEqual([4, ['2', '1', '4', '3']]);
  expect(sights.map(({ gapMaxNs }) => gapMaxNs)).toEqual([300e6, 700e6, undefined, undefined]);
});

test('no more are listed than wanted, and all are counted', () => {
  const { openCount, sights } = openSights(opened().observer, 2);
  expect([openCount, sights.map(({ view }) => view.id.split('-')[1])]).toEqual([4, ['2', '1']]);
});

test('a stall is told with its exchange as soon as it is over, and the longest gap with it', () => {
  const stage = createStage();
  play(stage, 1, 0, [100, 120, 140, 160, 900]);
  const [sight] = openSights(stage.observer, 1).sights;
  expect([sight?.gapMaxNs, sight?.stallCount]).toEqual([740e6, 1]);
  expect(sight?.stalls).toEqual([{ chunk: 4, endedAtNs: 900e6, gapNs: 740e6 }]);
});

test('an open exchange tells its marks, chunks and events so far under the names of the record', () => {
  const stage = opened();
  const [first] = openSights(stage.observer, 1).sights;
  const detail = openDetail(stage.observer, first?.view.id ?? '');
  expect(detail).toMatchObject({
    open: { id: first?.view.id, class: 'default', chunkCount: 2 },
    marks: { requestSentAtNs: 1e6, headReceivedAtNs: 2e6 },
    chunks: { receivedAtNs: [100e6, 400e6] },
    events: { chunk: [0, 1] },
    gapMaxMs: 300,
    stallCount: 1,
    stalls: [{ gapMs: 300 }],
  });
  expect(openDetail(stage.observer, 'nope')).toBeUndefined();
});
