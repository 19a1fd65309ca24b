// Goal: a prefill, and a thought between two tokens, may take longer than the five minutes at which
// HTTP clients like to give up (undici, Node: 300 s); rubato without limits gives up on neither.
// Method: real time, so only with RUBATO_LONG_TESTS=1; an engine that keeps silent for 305 s in three places.
import { describe, expect, test } from 'vitest';
import { useBench } from '../support/bench.ts';
import { PLAN_FIELD } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, HEAD, type Step } from '../support/script.ts';
import { say } from './judge/missing.ts';

const isAsked = process.env['RUBATO_LONG_TESTS'] === '1';
if (!isAsked) say('!!!!!!!! NOT TESTED with five minutes of silence: RUBATO_LONG_TESTS=1 asks for it !!!!!!!!');

const SILENCE_MS = 305_000;
const LIMIT_MS = SILENCE_MS + 30_000;

const SCRIPTS: Readonly<Record<string, Step[]>> = {
  'before-the-head': [at(SILENCE_MS, HEAD, c(D('a')), c(DONE), END)],
  'after-the-head': [at(0, HEAD), at(SILENCE_MS, c(D('a')), c(DONE), END)],
  'between-two-events': [at(0, HEAD, c(D('a'))), at(SILENCE_MS, c(D('b')), c(DONE), END)],
};

describe.skipIf(!isAsked)('without limits', () => {
  const bench = useBench();

  test(
    'J1 305 seconds of silence before the head, after it and between two events are let be',
    async () => {
      const plays = Object.entries(SCRIPTS).map(async ([model, script]) => {
        const plan = bench.engine.plan(script);
        const client = await bench.client();
        client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
        const response = await client.response(0, LIMIT_MS);
        const { record } = await bench.sidecar.record(model, ({ request }) => request.model === model);
        return [model, response.complete, record.end.outcome];
      });
      expect(await Promise.all(plays)).toEqual(Object.keys(SCRIPTS).map((model) => [model, true, 'ok']));
    },
    LIMIT_MS,
  );
});
