// What a gateway is graded by: answers written down beforehand, each for one question. Times are those of the
// engine, from the request's head on.
import type { Channel } from '../../record/kinds.ts';
import type { Script } from '../reference-engine/script.ts';

export interface GradeCase {
  readonly name: string;
  /** What is looked at. */
  readonly title: string;
  readonly script: Script;
  /** Where its text is. */
  readonly channel: Channel;
  /** The client leaves so long after it asked, and the engine should be told. */
  readonly leaveAfterMs?: number;
}

/** One write of the engine. */
interface Piece {
  readonly atMs: number;
  readonly text: string;
}

export const GRADE_MODEL = 'reference-small';
const FIRST_MS = 100;
const WORDS = ['time', ' stolen', ' and', ' given', ' back', ',', ' a', ' measure', ' later', '.'];
const DONE = 'data: [DONE]\n\n';

function event(delta: Record<string, unknown>, finish: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
  const fields = { id: 'chatcmpl-grade', object: 'chat.completion.chunk', created: 1_790_000_000, model: GRADE_MODEL };
  return `data: ${JSON.stringify({ ...fields, choices })}\n\n`;
}

function token(index: number): string {
  return event({ content: WORDS[index % WORDS.length] });
}

function tokens(count: number, everyMs: number, firstMs = FIRST_MS): Piece[] {
  return Array.from({ length: count }, (_, index) => ({ atMs: firstMs + index * everyMs, text: token(index) }));
}

/** Ends an answer as engines do, one step after its last token. */
function closed(pieces: readonly Piece[], afterMs = 20): Script {
  const end = { atMs: (pieces.at(-1)?.atMs ?? 0) + afterMs, text: `${event({}, 'stop')}${DONE}` };
  return { writes: [...pieces, end].map(({ atMs, text }) => ({ atMs, bytes: text })) };
}

/** Speculative decoding: one to five tokens a step, in one write. */
function bursts(stepCount: number): Piece[] {
  return Array.from({ length: stepCount }, (_, step) => {
    const count = 1 + ((step * step * 3 + step) % 5);
    return {
      atMs: FIRST_MS + step * 40,
      text: Array.from({ length: count }, (_unused, at) => token(step + at)).join(''),
    };
  });
}

function silence(): Piece[] {
  return [...tokens(20, 20), ...tokens(20, 20, FIRST_MS + 20 * 20 + 1500)];
}

/** One character, then 64 KiB in one event, in turns. */
function sizes(): Piece[] {
  const huge = 'x'.repeat(64 * 1024);
  return Array.from({ length: 16 }, (_, index) => ({
    atMs: FIRST_MS + index * 50,
    text: event({ content: index % 4 === 3 ? huge : 'i' }),
  }));
}

function comments(): Piece[] {
  const alive = Array.from({ length: 5 }, (_, index) => ({ atMs: 50 + index * 200, text: ': keep-alive\n\n' }));
  return [...alive, ...tokens(20, 20, 1_050)];
}

function toolCall(): Piece[] {
  const args = [...JSON.stringify({ city: 'Łódź', unit: 'celsius', days: [1, 2, 3] })];
  const name = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } };
  const part = (text: string): string => event({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const parts = args.map((each, index) => ({ atMs: FIRST_MS + 20 * (index + 1), text: part(each) }));
  return [{ atMs: FIRST_MS, text: event({ role: 'assistant', content: null, tool_calls: [name] }) }, ...parts];
}

/** Characters of two to four bytes, each cut in two by the border between two writes. */
function cutCharacters(): Script {
  const whole = Buffer.from(['é', '時', '🎵', 'ü', '間'].map((each) => event({ content: each })).join(''));
  const cuts: number[] = [];
  for (const [at, byte] of whole.entries()) if (byte >= 0xc0) cuts.push(at + 1);
  const borders = [0, ...cuts, whole.length];
  const writes = borders
    .slice(1)
    .map((end, index) => ({ atMs: FIRST_MS + index * 30, bytes: whole.subarray(borders[index], end) }));
  const endMs = FIRST_MS + borders.length * 30;
  return { writes: [...writes, { atMs: endMs, bytes: `${event({}, 'stop')}${DONE}` }] };
}

function withLineEnds({ writes }: Script, lineEnd: string): Script {
  return { writes: writes.map(({ atMs, bytes }) => ({ atMs, bytes: String(bytes).replaceAll('\n', lineEnd) })) };
}

function brokenOff(ending: 'clean' | 'cut'): Script {
  const writes = tokens(15, 20).map(({ atMs, text }) => ({ atMs, bytes: text }));
  const atMs = FIRST_MS + 15 * 20;
  if (ending === 'cut') return { writes, endAtMs: atMs, ending };
  const error = { error: { message: 'The engine ran out of memory.', type: 'server_error', code: 500 } };
  return { writes: [...writes, { atMs, bytes: `data: ${JSON.stringify(error)}\n\n` }] };
}

const LONG = closed(tokens(150, 20)).writes;
/** Long enough for whoever was not told of a client's end to go on. */
const NEVER_MS = 4_000;

export const GRADE_CASES: readonly GradeCase[] = [
  { name: 'steady-20', title: 'a token every 20 ms', script: closed(tokens(100, 20)), channel: 'text' },
  { name: 'steady-5', title: 'a token every 5 ms', script: closed(tokens(200, 5), 5), channel: 'text' },
  { name: 'bursts', title: 'speculative: 1 to 5 tokens every 40 ms', script: closed(bursts(40)), channel: 'text' },
  { name: 'silence', title: 'a silence of 1.5 s', script: closed(silence()), channel: 'text' },
  { name: 'sizes', title: 'tiny and huge events', script: closed(sizes()), channel: 'text' },
  {
    name: 'comments',
    title: 'keep-alive comments before the first token',
    script: closed(comments()),
    channel: 'text',
  },
  {
    name: 'early-head',
    title: 'the head 800 ms before the first token',
    script: closed(tokens(20, 20, 800)),
    channel: 'text',
  },
  { name: 'tool-call', title: 'a tool call, a character at a time', script: closed(toolCall()), channel: 'tool' },
  {
    name: 'crlf',
    title: 'line ends CR LF',
    script: withLineEnds(closed(tokens(20, 20)), '\r\n'),
    channel: 'text',
  },
  { name: 'utf8', title: 'characters cut in two by writes', script: cutCharacters(), channel: 'text' },
  { name: 'error', title: 'an error in mid-stream', script: brokenOff('clean'), channel: 'text' },
  { name: 'cut', title: 'the engine breaks off in mid-stream', script: brokenOff('cut'), channel: 'text' },
  {
    name: 'abort-before-head',
    title: 'the client leaves before the head',
    script: { headAtMs: NEVER_MS, writes: [{ atMs: NEVER_MS, bytes: token(0) }] },
    channel: 'text',
    leaveAfterMs: 400,
  },
  {
    name: 'abort-before-token',
    title: 'the client leaves before the first token',
    script: { writes: [{ atMs: NEVER_MS, bytes: token(0) }] },
    channel: 'text',
    leaveAfterMs: 400,
  },
  {
    name: 'abort-mid-stream',
    title: 'the client leaves in mid-stream',
    script: { writes: LONG },
    channel: 'text',
    leaveAfterMs: 700,
  },
];

/** A short answer, asked for several times: what a gateway adds to the start of every stream. */
export const START_CASE: GradeCase = {
  name: 'start',
  title: 'the start of a stream, five times',
  script: closed(tokens(10, 60, 60)),
  channel: 'text',
};
