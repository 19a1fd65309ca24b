// Goal: a report says where the generated text of its answer stood at each chunk, and says so where it cannot
// be sure to have seen all of it. Method: entries of the tape by hand; lanes against the whole text.
import { describe, expect, test } from 'vitest';
import { createStage, DONE, event, FINISH, reportOf, text, type Play } from './tape-play.ts';
import { AnswerText } from '../../../src/observe/answer-text.ts';
import { createAnswerReader } from '../../../src/stream/answer-reader.ts';
import { TextCapture } from '../../../src/stream/text-capture.ts';
import { RecentReports } from '../../../src/app/recent-reports.ts';
import type { TextCurve } from '../../../src/record/text-curve.ts';
import { laneText, laneTexts } from '../../support/text-oracle.ts';

/** An edge is there, so that somebody looks for other sights. */
const WITH_EDGE = {
  routes: [
    { name: 'main', engine: undefined },
    { name: 'edge:hop', engine: undefined, edge: 'hop' },
  ],
};

function curveOf(play: (exchange: Play) => void): TextCurve | undefined {
  return reportOf(play, {}, WITH_EDGE).text;
}

describe('the text of an answer', () => {
  test('is in its report, by the rows of the chunks that completed it', () => {
    const second = text('lo 🌍');
    const curve = curveOf((play) =>
      play
        .head(50)
        .chunk(60, event({ role: 'assistant', content: '' }))
        .chunk(70, event({ reasoning_content: 'Hm' }))
        .chunk(80, text('Hel') + second.slice(0, 30))
        .chunk(90, second.slice(30))
        .chunk(100, FINISH + DONE)
        .end(101),
    );
    expect(curve?.lanes.map(({ channel, chunk, endChars }) => ({ channel, chunk, endChars }))).toEqual([
      { channel: 'reasoning', chunk: [1], endChars: [2] },
      { channel: 'text', chunk: [2, 3], endChars: [3, 7] },
    ]);
    expect(laneTexts(curve!)).toEqual([laneText('reasoning', 0, 'Hm'), laneText('text', 0, 'Hello 🌍')]);
    expect(curve?.incomplete).toBeUndefined();
  });

  test('in one piece stands at its last chunk', () => {
    const body = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] });
    const curve = curveOf((play) =>
      play
        .head(50, { framing: 'length', fields: ['Content-Type', 'application/json'] })
        .chunk(60, body.slice(0, 10))
        .chunk(70, body.slice(10))
        .end(71),
    );
    expect(curve).toMatchObject({ lanes: [{ chunk: [1], endChars: [5] }] });
    expect(curve?.incomplete).toBeUndefined();
  });

  test('that a client did not wait for is as much as came', () => {
    const curve = curveOf((play) => play.head(50).chunk(60, text('ab')).end(70, { wireEnd: 'client_abort' }));
    expect(curve).toMatchObject({ lanes: [{ endChars: [2] }] });
    expect(curve?.incomplete).toBeUndefined();
  });

  test('that is none has no lanes, and without an answer there is no curve', () => {
    expect(
      curveOf((play) =>
        play
          .head(50)
          .chunk(60, FINISH + DONE)
          .end(61),
      ),
    ).toEqual({ lanes: [] });
    expect(curveOf((play) => play.end(61, { wireEnd: 'client_abort' }))).toBeUndefined();
  });
});

describe('a curve is incomplete', () => {
  test.each<[string, (play: Play) => Play]>([
    ['a chunk was lost', (play) => play.chunk(60, text('a')).chunk(70, `\n\n${text('b')}`, { seq: 2 })],
    ['bytes were left out', (play) => play.chunk(60, text('a')).chunk(70, text('b'), { bytesOmitted: true })],
    ['an event was no JSON', (play) => play.chunk(60, `${text('a')}data: {"choices\n\n`)],
    ['the body could not be read', (play) => play.head(50, { fields: ['Content-Type', 'video/mp4'] }).chunk(60, 'a')],
  ])('when %s', (_, body) => {
    expect(
      curveOf((play) =>
        body(play.head(50))
          .chunk(90, FINISH + DONE)
          .end(91),
      )?.incomplete,
    ).toBe(true);
  });

  test('when an engine turns out not to repeat itself after all', () => {
    const said = (content: string, count: number): string =>
      `data: ${JSON.stringify({ text: content, meta_info: { id: 'r', completion_tokens: count } })}\n\n`;
    const curveOfSaid = (...texts: string[]): TextCurve | undefined =>
      curveOf((play) => {
        play.head(50);
        for (const [index, content] of texts.entries()) play.chunk(60 + index, said(content, index + 1));
        play.chunk(90, DONE).end(91);
      });
    expect(curveOfSaid('a', 'ab', 'abc')).toMatchObject({ lanes: [{ endChars: [1, 2, 3] }] });
    expect(curveOfSaid('a', 'ab', 'abc')?.incomplete).toBeUndefined();
    expect(curveOfSaid('a', 'ab', 'c')?.incomplete).toBe(true);
  });
});

test('text for which there is no row any more is captured, and in no curve', () => {
  const capture = new TextCapture();
  const answerText = new AnswerText(capture, true);
  answerText.add('text', 0, 'a', 0);
  answerText.add('text', 0, 'b', undefined);
  const reader = createAnswerReader({ status: 200 }, { method: 'POST', path: '/' }, () => undefined);
  const curve = answerText.finish(reader, new Set(['log_full']));
  expect([capture.text, curve?.lanes[0]?.endChars, curve?.incomplete]).toEqual([{ answer: 'ab' }, [1], true]);
});

const hello = (play: Play): void =>
  void play
    .head(50)
    .chunk(60, text('Hello'))
    .chunk(90, FINISH + DONE)
    .end(91);

describe('where nobody looks for another sight', () => {
  test('there is no curve, and all else is as it was', () => {
    const [without, paired] = [reportOf(hello), reportOf(hello, {}, WITH_EDGE)];
    expect(without.text).toBeUndefined();
    expect({ ...without, text: paired.text }).toEqual(paired);
  });

  test('text is still captured for who asked for it', () => {
    const capture = new TextCapture();
    const answerText = new AnswerText(capture, false);
    answerText.sink(() => 0)?.('text', 0, 'a');
    expect(capture.text).toEqual({ answer: 'a' });
    expect(new AnswerText(undefined, false).sink(() => 0)).toBeUndefined();
  });

  test('an exchange that opened before a peer asked first is told to none', () => {
    const stage = createStage();
    const early = stage.exchange(1);
    expect(stage.observer.answerPeer('trace=none').sights).toEqual([]);
    hello(early);
    hello(stage.exchange(2));
    expect(stage.sink.reports.map((report) => report.text !== undefined)).toEqual([false, true]);
  });
});

test('nobody keeps a curve that is for pairing alone', () => {
  const report = reportOf(hello, {}, WITH_EDGE);
  const recent = new RecentReports();
  recent.onReport(report);
  expect(report.text).toBeDefined();
  expect(recent.list().map((kept) => Object.keys(kept).includes('text'))).toEqual([false]);
});
