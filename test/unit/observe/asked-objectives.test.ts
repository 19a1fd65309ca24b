// Goal: limits that clients ask for by header are read when they are numbers of ms within bounds, and nothing else
// is gone by; a record keeps what its class promised when the exchange opened. Method: fields as on the wire, and
// hand-made tape entries.
import { describe, expect, test } from 'vitest';
import { createClassifier } from '../../../src/observe/classifier.ts';
import { askedObjectives } from '../../../src/observe/asked-objectives.ts';
import type { Objective } from '../../../src/record/objective.ts';
import { CHAT_FIELDS, createStage, DONE, FINISH, recordOf, text } from './tape-play.ts';

describe('a wish', () => {
  test.each<[string, number | undefined]>([
    ['800', 800_000_000],
    [' 800 ', 800_000_000],
    ['2.5', 2_500_000],
    ['0.001', 1_000],
    ['3600000', 3_600_000_000_000],
    ['3600000.001', undefined],
    ['9999999', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['1,5', undefined],
    ['0.0001', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1'.repeat(10_000), undefined],
  ])('of %j ms', (value, limitNs) => {
    const asked = askedObjectives(['X-SLO-TTFT-ms', value]);
    expect(asked).toEqual(limitNs === undefined ? { unreadable: ['ttft'] } : { ttftNs: limitNs });
  });

  test('is of one of three kinds, each of its own', () => {
    const fields = ['x-slo-gap-ms', '100', 'x-slo-tpot-ms', 'fast', 'x-slo-ttft-ms', '1', 'x-slo-e2e-ms', '9'];
    expect(askedObjectives(fields)).toEqual({ ttftNs: 1_000_000, gapNs: 100_000_000, unreadable: ['tpot'] });
    expect(askedObjectives(CHAT_FIELDS)).toBeUndefined();
  });

  test('stands in the record', () => {
    const record = recordOf((play) => play.request({ model: 'm', stream: true }).end(1, { wireEnd: 'client_abort' }), {
      fields: [...CHAT_FIELDS, 'x-slo-gap-ms', '40'],
    });
    expect(record.request.asked).toEqual({ gapNs: 40_000_000 });
  });
});

test('what asks for generation is known by its path, its body, or what came of it', () => {
  const asks = (method: string, target: string, body: object, answer = ''): boolean | undefined =>
    recordOf(
      (play) => {
        play.request(body);
        if (answer !== '') play.head(1).chunk(2, answer);
        play.end(3);
      },
      { method, target },
    ).request.generation;
  expect(asks('POST', '/v1/chat/completions', {})).toBe(true);
  expect(asks('POST', '/tenant/v1/messages?beta=true', {})).toBe(true);
  expect(asks('POST', '/own/way', { stream: true })).toBe(true);
  expect(asks('POST', '/own/way', {}, text('a') + FINISH + DONE)).toBe(true);
  expect(asks('POST', '/own/way', {})).toBeUndefined();
  expect(asks('GET', '/v1/models', {})).toBeUndefined();
  expect(asks('GET', '/v1/chat/completions', {})).toBeUndefined();
});

test('an exchange keeps the objectives it opened with', () => {
  const terms = (limitNs: number) => {
    const objectives: Objective[] = [{ name: 'ttft', kind: 'ttft', limitNs, target: 0.9 }];
    const classifier = createClassifier('x-class', [{ name: 'default', stallMs: 100, rules: [], objectives }]);
    return { classifier, promptBucketEdges: [1], outputBucketEdges: [1] };
  };
  const stage = createStage(terms(50_000_000));
  const play = stage.exchange(1).request({ model: 'm', stream: true });
  stage.observer.reconfigure(terms(200_000_000), [], []);
  const later = stage.exchange(2).request({ model: 'm', stream: true });
  for (const each of [play, later])
    each
      .head(90)
      .chunk(100, text('a'))
      .chunk(110, FINISH + DONE)
      .end(111);
  const verdicts = stage.sink.reports.map(({ slo, record }) => [
    record.class.objectives?.[0]?.limitNs,
    slo?.objectives[0]?.met,
    slo?.good,
  ]);
  expect(verdicts).toEqual([
    [50_000_000, 'false', 'false'],
    [200_000_000, 'true', 'true'],
  ]);
});
