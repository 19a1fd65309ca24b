// Goal: an exchange keeps the class, stall limit and buckets that held when it opened, whatever is
// configured before its end, and evidence about another engine behind its route's name never reaches it.
// Method: hand-made tape entries, and a reconfiguration in the middle.
import { expect, test } from 'vitest';
import { createClassifier } from '../../../src/observe/classifier.ts';
import type { ClassSpec } from '../../../src/record/traffic-class.ts';
import type { LateSource } from '../../../src/observe/late-evidence.ts';
import { createStage, DONE, FINISH, text } from './tape-play.ts';

const classes = (name: string, stallMs: number): ClassSpec[] => [
  { name, stallMs, rules: [{ model: 'm' }] },
  { name: 'default', stallMs: 100, rules: [] },
];

function termsOf(name: string, stallMs: number, edges: readonly number[]) {
  const classifier = createClassifier('x-class', classes(name, stallMs));
  return { classifier, promptBucketEdges: edges, outputBucketEdges: edges };
}

test('class, stall limit and output buckets are those of the opening', () => {
  const stage = createStage(termsOf('before', 10, [1]));
  const play = stage.exchange(1).request({ model: 'm', stream: true });
  stage.observer.reconfigure(termsOf('after', 1_000, [1_000]), [], []);
  play.head(5).chunk(6, text('a')).chunk(106, text('b')).chunk(107, FINISH).chunk(108, DONE).end(109);
  stage
    .exchange(2)
    .request({ model: 'm', stream: true })
    .head(5)
    .chunk(6, text('a'))
    .chunk(106, text('b'))
    .chunk(107, FINISH)
    .chunk(108, DONE)
    .end(109);
  expect(
    stage.sink.reports.map(({ labels, figures, record }) => [labels.class, figures.stallCount, record.class]),
  ).toEqual([
    ['before', 1, { name: 'before', stallNs: 10e6 }],
    ['after', 0, { name: 'after', stallNs: 1_000e6 }],
  ]);
});

test('models that are configured later are labels from then on', () => {
  const stage = createStage();
  stage.observer.reconfigure(termsOf('c', 100, [1]), ['m'], []);
  stage.exchange(1).request({ model: 'm' }).head(5).chunk(6, text('a')).end(7, { wireEnd: 'upstream_aborted' });
  expect(stage.sink.reports[0]?.labels.model).toBe('m');
});

test('evidence is asked for under the name of the place, and reported under that of the route', () => {
  const asked: string[] = [];
  const source: LateSource = {
    name: 'late',
    evidenceFor({ route }) {
      asked.push(route);
      return [];
    },
    awaits: () => false,
  };
  const route = { name: 'chat', engine: undefined, place: 'chat' };
  const stage = createStage({ routes: [route], lateSources: [source] });
  const play = stage.exchange(1).request({ model: 'm', stream: true }).head(5).chunk(6, text('a'));
  route.place = 'chat#0';
  play.chunk(7, FINISH).chunk(8, DONE).end(9);
  expect(new Set(asked)).toEqual(new Set(['chat#0']));
  expect(stage.sink.reports[0]?.record.route).toBe('chat');
});
