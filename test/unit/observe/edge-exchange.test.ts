// Goal: an exchange that was seen before a hop says so everywhere, and what the hop did is taken for nothing
// that an engine did: no evidence, no estimate, no engine's list of models.
// Method: the same answer played on an engine's route and on an edge's; estimator and source write down who asks.
import { describe, expect, test } from 'vitest';
import type { Estimator, LateSource } from '../../../src/observe/late-evidence.ts';
import { createStage, DONE, FINISH, type Play, type Stage, STREAM_FIELDS, text } from './tape-play.ts';

const EVIDENCE = { source: 'spans', basis: 'exact', queueNs: 1, prefillNs: 2 } as const;

function createEdgeStage(): Stage & { readonly asked: string[] } {
  const asked: string[] = [];
  const note = (what: string, route: string): undefined => void asked.push(`${what} ${route}`);
  const estimator: Estimator = {
    promptTokens: () => undefined,
    onFirstToken: ({ route }) => note('token', route),
    onEnded: ({ route }) => note('ended', route),
    judge: ({ route }) => note('judge', route),
    doubt: (route) => note('doubt', route),
    forget: (route) => note('forget', route),
  };
  const source: LateSource = {
    name: 'spans',
    onEnded: ({ route }) => note('source', route),
    evidenceFor: () => [EVIDENCE],
    awaits: () => false,
  };
  const routes = [
    { name: 'main', engine: undefined },
    { name: 'edge:gateway', edge: 'gateway', engine: undefined },
  ];
  return { ...createStage({ routes, estimator, lateSources: [source] }), asked };
}

function answer(play: Play): Play {
  return play
    .request({ model: 'm', stream: true })
    .head(50, { fields: STREAM_FIELDS })
    .chunk(60, text('a'))
    .chunk(80, text('b'))
    .chunk(100, FINISH + DONE);
}

const BOTH = [
  ['an engine', 0, undefined, ['token main', 'ended main', 'source main', 'judge main'], [EVIDENCE]],
  ['a hop', 1, 'gateway', [], []],
] as const;

test.each(BOTH)('before %s', (_, routeIndex, edge, asked, evidence) => {
  const stage = createEdgeStage();
  const play = answer(stage.exchange(1, { routeIndex }));
  expect(stage.observer.openExchanges().map((open) => open.edge)).toEqual([edge]);
  play.end(110);
  // What was seen before a hop waits for what was seen behind it.
  stage.observer.settleAll();
  const [report] = stage.sink.reports;
  expect(report?.record.end.outcome).toBe('ok');
  expect([report?.record.edge, report?.labels.edge, report?.record.route]).toEqual([
    edge,
    edge,
    edge === undefined ? 'main' : 'edge:gateway',
  ]);
  expect(stage.asked).toEqual(asked);
  expect(report?.record.evidence).toEqual(evidence);
});

test('a hop that breaks off is no engine that was started anew', () => {
  const stage = createEdgeStage();
  answer(stage.exchange(1, { routeIndex: 1 })).end(110, { wireEnd: 'upstream_aborted' });
  stage.exchange(2, { routeIndex: 1 }).end(5, { wireEnd: 'connect_error' });
  stage.observer.settleAll();
  expect(stage.sink.reports.map(({ record }) => record.end.outcome)).toEqual(['connect_error', 'upstream_aborted']);
  expect(stage.asked).toEqual([]);
});

describe('for a peer', () => {
  const trace = { traceId: 't', parentSpanId: undefined, serverSpanId: 's', clientSpanId: 'c', sampled: true };
  const idsOf = (stage: Stage): string[] => stage.observer.answerPeer('trace=t').sights.map(({ id }) => id);

  test('an exchange is remembered once one has asked, and not before', () => {
    const stage = createStage();
    answer(stage.exchange(1, { trace })).end(110);
    expect(idsOf(stage)).toEqual([]);
    answer(stage.exchange(2, { trace })).end(110);
    expect(idsOf(stage)).toEqual(['0.0-2']);
    expect(stage.sink.reports).toHaveLength(2);
  });

  test('and where there is an edge, always', () => {
    const stage = createEdgeStage();
    answer(stage.exchange(1, { trace })).end(110);
    expect(idsOf(stage)).toEqual(['0.0-1']);
  });
});
