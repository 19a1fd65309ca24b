// Goal: an event that is known by its bytes means exactly what reading it would have told, in every dialect.
// Method: random streams of like events with everything between them that could make two of them unlike, in chunks
// as engines send them, against the same bytes fed one at a time, of which none can be known before it is read;
// fast-check prints the seed when they differ.
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createAnswerReader } from '../../src/stream/answer-reader.ts';
import { LikeEvent } from '../../src/stream/like-event.ts';
import { FUZZ_TIMEOUT_MS, fuzz } from '../support/fuzz.ts';
import { LIKE_WORDS, TEXT } from '../support/like-words.ts';
import { mutateJson, pick, randomOf, type Random } from '../support/mutate-json.ts';
import { inBytes } from '../unit/stream/read-all.ts';

const RUN_COUNT = 50;
/** Longer ones are of no interest here, and are read byte by byte. */
const LONG_CHARS = 1_000;

const USUAL_TEXTS = [' token', 'the', ' 1', '渐'];
/** Texts between quotes as they stand in the bytes, one a line. */
const ODD_TEXTS: readonly string[] = String.raw`
a
b
,
:
}
[DONE]
data: x
content
it's
null
渐
🌍é
\n
\"
\\
\u0061
\ud83c\udf0d
\ud83c
\", "content": "b
","content":"b
{"a":1}
\x`
  .split('\n')
  .concat(' ', '\u2028', '\uFEFF', '\x7F', '\uFFFD', 'x'.repeat(300));

/** What is no UTF-8, no JSON, or another line. */
const ODD_BYTES: readonly string[] = ['\xff', '\xe6\xb8', '\xed\xa0\x80', '\xc0\xaf', '\t', '\x00', '\n', '\r', '\r\n'];

const BETWEEN: readonly string[] = [
  ': ping\n\n',
  ':\n\n',
  '\n',
  '\r\n',
  '\n\n',
  'data: [DONE]\n\n',
  'data:\n\n',
  'data: 7\n\n',
  'data: {\n\n',
  'data: {"error":{"type":"overloaded"}}\n\n',
  'data: {"usage":{"completion_tokens":7}}\n\n',
  'event: ping\ndata: {}\n\n',
  'event: error\n\n',
  '{"error":{"code":500}}\n\n',
  '{"a":\n\n1}\n\n',
  '\uFEFF',
  'retry: 5\n',
  'id: 7\n',
  'x: y\n',
];

type Step = Buffer | 'loss';

/** A stream of one path's words: mostly the same again with another text. */
function stream(words: readonly string[], random: Random): Step[] {
  const steps: Step[] = [];
  let json = pick(random, words);
  let frame = pick(random, FRAMES);
  for (let count = 8 + Math.floor(random() * 24); count > 0; count -= 1) {
    if (random() < 0.08) json = pick(random, words);
    if (random() < 0.02) json = mutateJson(json, random);
    if (json.length > LONG_CHARS) json = pick(random, words);
    if (random() < 0.06) frame = pick(random, FRAMES);
    if (random() < 0.06) steps.push(Buffer.from(pick(random, BETWEEN)));
    if (random() < 0.02) steps.push('loss');
    steps.push(frame(filled(random() < 0.05 ? spaced(json) : json, random)));
  }
  return recut(steps, random);
}

function filled(json: string, random: Random): Buffer {
  const text = Buffer.from(random() < 0.6 ? pick(random, USUAL_TEXTS) : pick(random, ODD_TEXTS));
  const bytes = random() < 0.05 ? Buffer.from(pick(random, ODD_BYTES), 'latin1') : text;
  const [before = '', ...behind] = json.split(TEXT);
  return Buffer.concat([Buffer.from(before), ...behind.flatMap((part) => [bytes, Buffer.from(part)])]);
}

const FRAMES: readonly ((json: Buffer) => Buffer)[] = [
  ...Array.from({ length: 20 }, () => framed('data: ', '\n\n')),
  framed('data:', '\n\n'),
  framed('event: content_block_delta\ndata: ', '\n\n'),
  framed('id: 7\nevent: chunk\ndata: ', '\n\n'),
  framed('data: ', '\r\n\r\n'),
  framed('data: ', '\r\r'),
  framed('data: ', '\n\ndata: [DONE]\n\n'),
  framed(': x\ndata: ', '\n\n'),
  framed('data: ', '\ndata: \n\n'),
  framed('', '\n\n'),
];

function framed(before: string, behind: string): (json: Buffer) => Buffer {
  return (json) => Buffer.concat([Buffer.from(before), json, Buffer.from(behind)]);
}

/** As Python writes it. */
function spaced(json: string): string {
  return json.replaceAll('":', '": ').replaceAll(',"', ', "');
}

/** Some chunks hold several events, others end within one. */
function recut(steps: readonly Step[], random: Random): Step[] {
  const cut: Step[] = [];
  for (const step of steps) {
    const last = cut.at(-1);
    if (step === 'loss' || last === undefined || last === 'loss' || random() < 0.8) cut.push(step);
    else cut[cut.length - 1] = Buffer.concat([last, step]);
  }
  return cut.flatMap((step) => {
    if (step === 'loss' || random() < 0.9) return [step];
    const at = Math.floor(random() * step.length);
    return [step.subarray(0, at), step.subarray(at)];
  });
}

/** All that the reader tells, with the step that each event belongs to. */
function read(steps: readonly Step[], path: string, pieces: (step: Buffer) => readonly Uint8Array[], isHeard: boolean) {
  const events: unknown[] = [];
  const texts: unknown[] = [];
  const inside: boolean[] = [];
  let at = 0;
  const onText = (...text: unknown[]): unknown => texts.push([at, ...text]);
  const hints = { method: 'POST', path, ...(isHeard ? { onText } : {}) };
  const head = { status: 200, mediaType: 'text/event-stream' };
  const reader = createAnswerReader(head, hints, (event) => events.push({ at, ...event }));
  for (const step of steps) {
    if (step === 'loss') reader.skip();
    else for (const piece of pieces(step)) feedOnce(reader, piece);
    inside.push(reader.insideEvent);
    at += 1;
  }
  reader.end();
  const [facts, tokens, engine, statements] = [reader.facts(), reader.tokens(), reader.engine(), reader.statements()];
  return { events, texts, inside, facts, tokens, engine, statements, doubts: reader.doubts(), lost: reader.textLost };
}

/** The memory is another's afterwards. */
function feedOnce(reader: { feed(bytes: Uint8Array): void }, piece: Uint8Array): void {
  const copy = Uint8Array.from(piece);
  reader.feed(copy);
  copy.fill(0x78);
}

describe.each(LIKE_WORDS)('$path', ({ path, words, known }) => {
  it('means the same known or read', { timeout: FUZZ_TIMEOUT_MS }, () => {
    let [eventCount, knownCount] = [0, 0];
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, isHeard) => {
        const texts = words.map((word) => JSON.stringify(word));
        const steps = stream(texts, randomOf(seed));
        const inBits = read(steps, path, inBytes, isHeard);
        const endIn = vi.spyOn(LikeEvent.prototype, 'endIn');
        const inChunks = read(steps, path, (step) => [step], isHeard);
        knownCount += endIn.mock.results.filter(({ value }) => value > 0).length;
        endIn.mockRestore();
        eventCount += inChunks.events.length;
        expect(inChunks).toEqual(inBits);
      }),
      fuzz(RUN_COUNT),
    );
    // Without events that were known there was nothing to compare.
    if (known) expect(knownCount).toBeGreaterThan(eventCount / 50);
    else expect(knownCount).toBe(0);
  });
});
