// Goal: the same content gives the same curve of text whatever API it came through, streamed or whole, and
// however its bytes are cut. Method: one content in the words of every persona of the reference engine, read
// by the reader that is used on the wire, against an oracle that has the whole text.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fragment } from '../../src/client/reference-engine/answer.ts';
import {
  ALL_SIGNALS,
  type AnswerContext,
  type Persona,
  type Written,
} from '../../src/client/reference-engine/persona.ts';
import { PERSONAS, type PersonaName } from '../../src/client/reference-engine/personas.ts';
import { fuzz } from '../support/fuzz.ts';
import { PERSONA_ASKS, PERSONA_NAMES } from '../support/persona-asks.ts';
import { laneText, laneTexts, tell, type LaneText } from '../support/text-oracle.ts';
import { cutAt, inBytes } from '../unit/stream/read-all.ts';

interface Way {
  readonly persona: PersonaName;
  readonly route: string;
  readonly stream: boolean;
}

interface Said {
  readonly pieces: Written[];
  readonly mediaType: string;
  readonly path: string;
}

const WAYS: readonly Way[] = PERSONA_NAMES.flatMap((persona) =>
  Object.keys(PERSONA_ASKS[persona]).flatMap((route) => [true, false].map((stream) => ({ persona, route, stream }))),
);
const nameOf = ({ persona, route, stream }: Way): string => `${persona} ${route} ${stream ? 'streamed' : 'whole'}`;

/** Routes without words for reasoning and tools. */
const TEXT_ONLY = /completion|generate|compat/;

/** What an engine of this persona writes when the model says these fragments. */
function say({ persona: name, route: routeName, stream }: Way, fragments: readonly Fragment[]): Said {
  const persona: Persona = PERSONAS[name];
  const asked = PERSONA_ASKS[name][routeName]!({ prompt: 'x'.repeat(40), maxTokens: fragments.length, stream });
  const url = new URL(asked.path, 'http://engine');
  const route = persona.routes.find(({ path }) =>
    typeof path === 'string' ? path === url.pathname : path.test(url.pathname),
  )!;
  const reading = route.read(JSON.stringify(asked.body), url);
  if ('fault' in reading) throw new Error(reading.fault);
  const hasTool = fragments.some(({ channel }) => channel.startsWith('tool'));
  const reasoningTokens = fragments.filter(({ channel }) => channel === 'reasoning').length;
  const context: AnswerContext = {
    id: route.idOf({ jobId: '1', requestId: 'r' }),
    createdEpochS: 1_796_000_000,
    model: 'm',
    request: { ...reading.request, toolName: hasTool ? 'look' : undefined },
    plan: {
      promptTokens: 10,
      choices: [{ fragments, finishReason: hasTool ? 'tool_calls' : 'stop', reasoningTokens }],
    },
    truth: {
      requestId: 'r',
      kind: 'modelled',
      arrivedAtNs: 0,
      submittedAtNs: 1_000,
      prefillAtNs: 2_000,
      tokenAtNs: fragments.map((_, index) => 10_000 + index * 1_000),
      gaps: [],
      headAtNs: 1_500,
      writes: { dueAtNs: [], writtenAtNs: [], bytes: [] },
      promptTokens: 10,
      outputTokens: fragments.length,
    },
    signals: ALL_SIGNALS,
    anchor: { atNs: 0, epochMs: 1_796_000_000_000 },
  };
  const writer = route.writer(context, url);
  const path = url.pathname;
  if (!stream) return { pieces: [writer.whole()], mediaType: 'application/json', path };
  const tokens = fragments.map((_, index) => writer.tokens(index + 1));
  const { streamType = 'text/event-stream' } = route;
  const mediaType = typeof streamType === 'string' ? streamType : streamType(url);
  return { pieces: [writer.roles(), ...tokens, writer.closing()], mediaType, path };
}

function lanesOf({ mediaType, path }: Said, pieces: readonly Written[]): LaneText[] {
  const { curve, textLost } = tell(pieces, { status: 200, mediaType }, { method: 'POST', path });
  expect([curve.incomplete, textLost]).toEqual([undefined, false]);
  return laneTexts(curve);
}

function allBytes(pieces: readonly Written[]): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

const inText = (...texts: string[]): Fragment[] => texts.map((text) => ({ channel: 'text', text }));

// Outside the first plane, with joiners and marks that combine, quotes and escapes, line ends of all kinds.
const TEXT = [
  'Grüße',
  ' 🌍',
  '👩‍👩‍👧',
  ' e\u0301',
  ' "a\\b"\r',
  '\n',
  '\r\n',
  'data: [DONE]\n\n',
  ' 渐进 ',
  '</s>',
  ' {"a":[1]}',
];
const LONG = Array.from({ length: 40 }, (_, index) => TEXT[index % TEXT.length] as string);

describe.each(WAYS.map((way) => [nameOf(way), way] as const))('%s', (_, way) => {
  it('has the text of the content, whatever is in it', () => {
    const said = say(way, inText(...LONG));
    expect(lanesOf(said, said.pieces)).toEqual([laneText('text', 0, LONG.join(''))]);
  });

  it('has the same text for every way of cutting the bytes', () => {
    const said = say(way, inText(...TEXT));
    const bytes = allBytes(said.pieces);
    const expected = [laneText('text', 0, TEXT.join(''))];
    expect(lanesOf(said, inBytes(bytes))).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        expect(lanesOf(said, cutAt(bytes, cuts))).toEqual(expected);
      }),
      fuzz(5),
    );
  });

  it('grows with the chunk that completes each fragment, and all at once where it is whole', () => {
    const said = say(way, inText('ab', 'c', 'déf'));
    const { curve } = tell(
      said.pieces,
      { status: 200, mediaType: said.mediaType },
      { method: 'POST', path: said.path },
    );
    const [lane] = curve.lanes;
    expect([lane?.chunk, lane?.endChars]).toEqual(
      way.stream
        ? [
            [1, 2, 3],
            [2, 3, 6],
          ]
        : [[0], [6]],
    );
  });

  it.skipIf(TEXT_ONLY.test(`${way.route} ${way.persona}`))('keeps reasoning, text and arguments apart', () => {
    const thought: Fragment[] = ['Hm,', ' 渐'].map((text) => ({ channel: 'reasoning', text }));
    const called: Fragment[] = [
      { channel: 'tool_name', text: 'look' },
      ...['{"text":"', 'Köln 🌍', '"}'].map((text): Fragment => ({ channel: 'tool_arguments', text })),
    ];
    const reasoning = laneText('reasoning', 0, 'Hm, 渐');
    const lanesOfBoth = [inText('So', '.'), called].map((rest) => {
      const said = say(way, [...thought, ...rest]);
      return lanesOf(said, said.pieces).toSorted((one, other) => one.channel.localeCompare(other.channel));
    });
    // A tool's name stands at different places in different APIs and is no part of it.
    expect(lanesOfBoth).toEqual([
      [reasoning, laneText('text', 0, 'So.')],
      [reasoning, laneText('tool', 0, '{"text":"Köln 🌍"}')],
    ]);
  });
});

it('two contents of the same length do not pass for one another', () => {
  const way: Way = { persona: 'vllm', route: 'chat', stream: true };
  const [one, other] = ['Köln', 'Bonn'].map((text) => {
    const said = say(way, inText(text));
    return lanesOf(said, said.pieces)[0]?.endHash;
  });
  expect(one).not.toBe(other);
});
