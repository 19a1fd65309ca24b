// What the reference engine computes in one step can be told as one event, as several, or held back until there
// is enough, and no token is lost over it. Method: positions given by hand; an answer's text put together again.
import { describe, expect, test } from 'vitest';
import { planAnswer } from '../../../../src/client/reference-engine/answer.ts';
import { ChatWriter } from '../../../../src/client/reference-engine/chat-writer.ts';
import { SMALL_MODEL, type EngineModel } from '../../../../src/client/reference-engine/model.ts';
import { readRequest } from '../../../../src/client/reference-engine/request.ts';
import { Teller } from '../../../../src/client/reference-engine/telling.ts';

const SPECULATION = { drafts: 4, acceptRatio: 1, draftNs: 0, verifyNs: 0, spacingNs: 50 };

function teller(changes: Partial<EngineModel>): Teller {
  return new Teller({ ...SMALL_MODEL, ...changes });
}

describe('the tokens of a step', () => {
  test('are told at once, each as it was before there was anything else', () => {
    const plain = teller({});
    expect(plain.add(1, false)).toEqual([{ from: 1, to: 1, inOneEvent: false, last: false, delayNs: 0 }]);
    expect(plain.add(2, true)).toEqual([{ from: 2, to: 2, inOneEvent: false, last: true, delayNs: 0 }]);
  });

  test('are one event, or one write, as speculation has it', () => {
    for (const told of ['one_event', 'one_write'] as const) {
      const bunched = teller({ speculation: { ...SPECULATION, told } });
      expect(bunched.add(3, true)).toEqual([
        { from: 1, to: 3, inOneEvent: told === 'one_event', last: true, delayNs: 0 },
      ]);
    }
  });

  test('are a write each, one after another, and only the last of them ends the answer', () => {
    const apart = teller({ speculation: { ...SPECULATION, told: 'writes' } });
    expect(apart.add(3, true)).toEqual([
      { from: 1, to: 1, inOneEvent: false, last: false, delayNs: 0 },
      { from: 2, to: 2, inOneEvent: false, last: false, delayNs: 50 },
      { from: 3, to: 3, inOneEvent: false, last: true, delayNs: 100 },
    ]);
  });

  test('wait for others where an interval is set, but for the first and the last', () => {
    const held = teller({ eventTokens: 3 });
    const told = [1, 2, 3, 4, 5, 6].map((position) => held.add(position, position === 6));
    expect(told.map((bunches) => bunches.map(({ from, to }) => [from, to]))).toEqual([
      [[1, 1]],
      [],
      [],
      [[2, 4]],
      [],
      [[5, 6]],
    ]);
  });
});

describe('an event with several tokens', () => {
  test.each([{}, { reasoning_effort: 'high' }, { n: 2 }])('says what they say one by one: %j', (fields) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'hum' }], stream: true, max_tokens: 40, ...fields };
    const reading = readRequest('chat', JSON.stringify(body));
    if ('fault' in reading) throw new Error(reading.fault);
    const plan = planAnswer(reading.request, 1);
    const names = { id: 'i', createdEpochS: 1, model: 'm', reasoningField: 'reasoning' } as const;
    const writer = new ChatWriter(names, reading.request, plan);
    const count = Math.max(...plan.choices.map(({ fragments }) => fragments.length));
    let apart = '';
    let together = '';
    for (let from = 1; from <= count; from += 3) {
      const to = Math.min(count, from + 2);
      for (let position = from; position <= to; position += 1) apart += writer.tokens(position);
      together += writer.together(from, to);
    }
    expect(saidBy(together)).toEqual(saidBy(apart));
    expect(together.split('\n\n').length).toBeLessThan(apart.split('\n\n').length);
  });
});

/** Text of each choice by channel, and how it finished. */
function saidBy(stream: string): unknown {
  const said: Record<string, string> = {};
  for (const line of stream.split('\n\n').filter((each) => each !== '')) {
    const { choices } = JSON.parse(line.slice('data: '.length)) as {
      choices: { index: number; delta: Record<string, string>; finish_reason: string | null }[];
    };
    for (const { index, delta, finish_reason: reason } of choices) {
      for (const [channel, text] of Object.entries({ ...delta, finish: reason ?? '' })) {
        said[`${index} ${channel}`] = (said[`${index} ${channel}`] ?? '') + text;
      }
    }
  }
  return said;
}
