// Goal: those count as decoding whose first token has come and who go to an engine that is still the route's, each with
// prompt and answer so far as the best that is known of them.
// Method: exchanges played to an observer, looked at while they are open.
import { describe, expect, test } from 'vitest';
import { openDecodes } from '../../../../src/observe/floor/open-decodes.ts';
import type { ObservedRoute } from '../../../../src/observe/observer-options.ts';
import { createStage, text, type Play } from '../tape-play.ts';

const CHAT = { model: 'm', stream: true };
const MAIN: readonly ObservedRoute[] = [{ name: 'main', engine: undefined }];

function decodesOf(play: (exchange: Play) => void, routes = MAIN) {
  const { observer, exchange } = createStage();
  play(exchange(1));
  return [...openDecodes(observer.openObserved(), routes)].map(({ route, contextTokens }) => {
    return { route, tokens: contextTokens() };
  });
}

const usage = (prompt: number, completion: number): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'b' } }], usage: { prompt_tokens: prompt, completion_tokens: completion } })}\n\n`;

describe('an exchange', () => {
  test('decodes from its first token on', () => {
    expect(decodesOf((play) => play.request(CHAT).head(1))).toEqual([]);
    expect(decodesOf((play) => play.request(CHAT).head(1).chunk(2, text('a')))).toHaveLength(1);
  });

  test('has the context that the engine states, where it states one', () => {
    const play = (exchange: Play) => exchange.request(CHAT).head(1).chunk(2, text('a')).chunk(3, usage(500, 20));
    expect(decodesOf(play)).toEqual([{ route: 'main', tokens: 520 }]);
  });

  test('has none that is known before anybody knows the prompt', () => {
    const [decode] = decodesOf((play) => play.request(CHAT).head(1).chunk(2, text('a')));
    expect(decode?.tokens).toBeUndefined();
  });
});

describe('it counts for nothing', () => {
  const play = (exchange: Play) => exchange.request(CHAT).head(1).chunk(2, usage(500, 20));

  test('before a hop', () => {
    expect(decodesOf(play, [{ name: 'edge:gateway', edge: 'gateway', engine: undefined }])).toEqual([]);
  });

  test('at an engine that is not behind its route any more', () => {
    expect(decodesOf(play, [{ name: 'main', engine: undefined, place: 'main#0' }])).toEqual([]);
    expect(decodesOf(play, [{ name: 'main', engine: undefined, place: 'main' }])).toHaveLength(1);
  });

  test('on a route that nobody knows', () => {
    expect(decodesOf(play, [])).toEqual([]);
  });
});
