// Goal: of 10,000 interleaved exchanges through gateways that drop traces, change ids, try again, answer out of a
// cache, gather requests and put text before the answer, each that can be paired is paired, and none with another's. Method: a gateway played to
// an observer entry by entry, in order of time and on a clock of its own; seeded, the truth kept aside.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Random, seededRandom } from '../../../../src/client/random.ts';
import { createStage, DONE, OPENED_AT_NS, type Play, type Stage } from '../tape-play.ts';
import { prose } from './sights.ts';

const COUNT = 10_000;
const SEED = 20_261_129;
const SLICE_MS = 10;
const PIECES = 4;

type Survival = 'kept' | 'changed' | 'lost';

interface Asked {
  readonly number: number;
  readonly openMs: number;
  readonly text: string;
  /** Long, and no other exchange has it. */
  readonly unique: boolean;
  readonly trace: Survival;
  /** Other exchanges have the same trace id. */
  readonly sharedTrace: boolean;
  readonly traceId: string;
  readonly requestId: Survival;
  readonly responseId: Survival;
  readonly kind: 'plain' | 'retry' | 'cache' | 'abort' | 'collapsed';
}

interface Step {
  readonly atMs: number;
  readonly play: () => void;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['hrtime', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('10,000 exchanges, none with a wrong pair', { timeout: 300_000 }, () => {
  const random = seededRandom(SEED);
  const stage = createStage({
    routes: [
      { name: 'main', engine: undefined },
      { name: 'edge:gateway', edge: 'gateway', engine: undefined },
    ],
  });
  const asked = Array.from({ length: COUNT }, (_, number) => ask(number, random));
  const { steps, truth } = scriptOf(stage, asked, random);
  run(stage, steps);

  const outer = stage.sink.reports.filter(({ record }) => record.edge !== undefined);
  expect(outer).toHaveLength(COUNT);
  const found = new Map(outer.map(({ record }) => [record.id, record.hop?.inner.id]));
  const wrong = asked.filter(({ number }) => {
    const id = found.get(idOf(outerNumber(number)));
    return id !== undefined && id !== truth.get(number);
  });
  const missed = asked.filter((one) => canBePaired(one) && found.get(idOf(outerNumber(one.number))) === undefined);
  expect({ seed: SEED, wrong, missed }).toEqual({ seed: SEED, wrong: [], missed: [] });
  const pairedCount = outer.filter(({ record }) => record.hop !== undefined).length;
  expect(pairedCount).toBeGreaterThan(0.85 * COUNT);
  expect(stage.faults).toEqual([]);
  // Each way of finding it had its share, and each reason for none too.
  const ways = new Set(outer.map(({ record, unpaired }) => record.hop?.pairedBy ?? unpaired?.reason));
  expect([...ways].sort()).toEqual(['ambiguous', 'content', 'not_seen', 'outside', 'request', 'response', 'trace']);
});

/** What a wise man could tell from both sides: an id that only this one has, or a text that only this one has. */
function canBePaired(one: Asked): boolean {
  if (one.kind === 'cache' || one.kind === 'collapsed') return false;
  if (one.requestId === 'kept' || (one.trace === 'kept' && !one.sharedTrace)) return true;
  if (one.kind === 'abort') return false;
  if (one.responseId === 'kept') return true;
  return one.unique || (one.trace === 'changed' && !one.sharedTrace);
}

const POOL = Array.from({ length: 12 }, (_, index) => prose(90_000 + index, 300));
/** What half of the answers have before them, each kind as often with what holds as with what does not. */
const BANNERS = ['Hello! ', undefined, prose(80_000, 63), undefined, undefined, prose(80_001, 400)];
const SHORT = ['yes', 'no', '{"ok":true}', 'positive'];

function ask(number: number, random: Random): Asked {
  const dice = random();
  const text =
    dice < 0.1 ? pick(SHORT, random) : dice < 0.3 ? pick(POOL, random) : prose(number, 80 + Math.floor(200 * random()));
  const survival = (): Survival => pick(['kept', 'changed', 'lost'] as const, random);
  const fate = random();
  const kind =
    fate < 0.05 ? 'retry' : fate < 0.08 ? 'cache' : fate < 0.11 ? 'abort' : fate < 0.13 ? 'collapsed' : 'plain';
  // An agent's calls: five in a row belong to one trace, side by side.
  const sharedTrace = Math.floor(number / 5) % 4 === 0;
  return {
    number,
    openMs: number * 4 + random(),
    text,
    unique: dice >= 0.3,
    trace: survival(),
    sharedTrace,
    traceId: hex(sharedTrace ? 1_000_000 + Math.floor(number / 5) : number + 1, 32),
    requestId: survival(),
    responseId: survival(),
    kind,
  };
}

function scriptOf(
  stage: Stage,
  asked: readonly Asked[],
  random: Random,
): { steps: Step[]; truth: Map<number, string> } {
  const steps: Step[] = [];
  const truth = new Map<number, string>();
  let last: { readonly asked: Asked; readonly opensMs: number } | undefined;
  for (const one of asked) {
    const lengthMs = 200 + 800 * random();
    // Asked while the one before it is under way, the gateway gives both the same answer.
    const joined =
      one.kind === 'collapsed' && last !== undefined && last.asked.kind === 'plain' ? last.asked : undefined;
    const text = joined?.text ?? one.text;
    const firstMs = one.openMs + (one.kind === 'retry' ? 60 : 40);
    const cut = one.kind === 'abort' ? 2 : PIECES;
    const atMs = Array.from({ length: PIECES }, (_, index) => firstMs + (lengthMs * index) / PIECES);
    const responseId = `chatcmpl-${one.kind === 'cache' ? 0 : (joined?.number ?? one.number)}`;
    steps.push(...outerSteps(stage, one, { text, atMs, cut, responseId, banner: BANNERS[one.number % 6] }));
    if (one.kind === 'cache' || joined !== undefined) continue;
    if (one.kind === 'retry') steps.push(...failedSteps(stage, one));
    truth.set(one.number, idOf(innerNumber(one.number)));
    steps.push(...innerSteps(stage, one, { text, atMs, cut, responseId }));
    last = { asked: one, opensMs: one.openMs };
  }
  return { steps: steps.sort((a, b) => a.atMs - b.atMs), truth };
}

interface Answer {
  readonly text: string;
  readonly atMs: readonly number[];
  readonly cut: number;
  readonly responseId: string;
  /** What the gateway says first, at once or when the answer begins. */
  readonly banner?: string | undefined;
}

function outerSteps(stage: Stage, one: Asked, answer: Answer): Step[] {
  const fields = ['Host', 'gateway', 'X-Request-Id', `req-${one.number}`];
  const trace = {
    traceId: one.traceId,
    parentSpanId: undefined,
    serverSpanId: hex(one.number, 16),
    clientSpanId: spanOf(one),
  };
  // A gateway that gathers holds two pieces and gives them out with the third.
  const holds = one.number % 3 === 0;
  const atMs = answer.atMs.map(
    (_, index, all) => (all[holds ? Math.min(all.length - 1, index - (index % 3) + 2) : index] as number) + 1,
  );
  const rewritten =
    one.responseId === 'kept' ? answer.responseId : one.responseId === 'changed' ? `gw-${one.number}` : undefined;
  return playSteps(stage, outerNumber(one.number), {
    ...answer,
    openMs: one.openMs,
    routeIndex: 1,
    fields,
    trace: { ...trace, sampled: true },
    atMs: one.kind === 'abort' ? atMs.map((_, index) => (answer.atMs[index] as number) + 1) : atMs,
    responseId: rewritten,
    wireEnd: one.kind === 'abort' ? 'client_abort' : 'complete',
  });
}

function innerSteps(stage: Stage, one: Asked, answer: Answer): Step[] {
  return playSteps(stage, innerNumber(one.number), {
    ...answer,
    openMs: one.openMs + (one.kind === 'retry' ? 30 : 1),
    routeIndex: 0,
    fields: innerFields(one),
    trace: innerTrace(one, 2),
    wireEnd: one.kind === 'abort' ? 'client_abort' : 'complete',
    endsAfterMs: one.kind === 'abort' ? 4 : 0.2,
  });
}

/** The first try, which the engine refuses. */
function failedSteps(stage: Stage, one: Asked): Step[] {
  let play: Play;
  return [
    {
      atMs: one.openMs + 1,
      play: () =>
        (play = openPlay(stage, failedNumber(one.number), one.openMs + 1, {
          fields: innerFields(one),
          trace: innerTrace(one, 3),
        })),
    },
    { atMs: one.openMs + 20, play: () => play.connected(0.1).head(19, { status: 503, fields: [] }).end(19.5) },
  ];
}

function innerFields({ requestId, number }: Asked): string[] {
  const id = requestId === 'kept' ? `req-${number}` : `gw-req-${number}`;
  return requestId === 'lost' ? ['Host', 'engine'] : ['Host', 'engine', 'X-Request-Id', id];
}

/** What the inner relay made of the field: the same trace, with the span that asked or one of the gateway's, or another. */
function innerTrace(one: Asked, salt: number) {
  const own = {
    serverSpanId: hex(one.number + salt * 100_000, 16),
    clientSpanId: hex(one.number + salt * 200_000, 16),
    sampled: true,
  };
  if (one.trace === 'lost') return { ...own, traceId: hex(one.number + 5_000_000 * salt, 32), parentSpanId: undefined };
  return {
    ...own,
    traceId: one.traceId,
    parentSpanId: one.trace === 'kept' ? spanOf(one) : hex(one.number + 900_000, 16),
  };
}

interface PlaySpec extends Omit<Answer, 'responseId'> {
  readonly openMs: number;
  readonly routeIndex: number;
  readonly fields: readonly string[];
  readonly trace: ReturnType<typeof innerTrace>;
  readonly responseId: string | undefined;
  readonly wireEnd: 'complete' | 'client_abort';
  readonly endsAfterMs?: number;
}

function playSteps(stage: Stage, number: number, spec: PlaySpec): Step[] {
  const { openMs, atMs, cut, text, responseId, banner, wireEnd, endsAfterMs = 0.5 } = spec;
  let play: Play;
  const steps: Step[] = [{ atMs: openMs, play: () => (play = openPlay(stage, number, openMs, spec)) }];
  const size = Math.ceil(text.length / PIECES);
  const headMs = (atMs[0] as number) - openMs - 0.1;
  const firstMs = banner !== undefined && number % 2 === 0 ? 0.3 : headMs;
  steps.push({ atMs: openMs + firstMs, play: () => play.connected(0.1).head(firstMs) });
  if (banner !== undefined) {
    const bannerMs = firstMs + 0.05;
    steps.push({ atMs: openMs + bannerMs, play: () => play.chunk(bannerMs, eventOf(banner, responseId)) });
  }
  for (const [index, pieceMs] of atMs.slice(0, cut).entries()) {
    const content = text.slice(index * size, (index + 1) * size);
    steps.push({ atMs: pieceMs, play: () => play.chunk(pieceMs - openMs, eventOf(content, responseId)) });
  }
  const endMs = (atMs[cut - 1] as number) + endsAfterMs;
  steps.push({
    atMs: endMs,
    play: () => {
      if (wireEnd === 'complete') play.chunk(endMs - openMs, DONE);
      play.end(endMs - openMs, { wireEnd });
    },
  });
  return steps;
}

function openPlay(
  stage: Stage,
  number: number,
  openMs: number,
  { fields, trace, routeIndex = 0 }: Pick<PlaySpec, 'fields' | 'trace'> & { routeIndex?: number },
): Play {
  return stage.exchange(number, { openedAtNs: OPENED_AT_NS + Math.round(openMs * 1e6), routeIndex, fields, trace });
}

function eventOf(content: string, id: string | undefined): string {
  return `data: ${JSON.stringify({ ...(id === undefined ? {} : { id }), choices: [{ index: 0, delta: { content } }] })}\n\n`;
}

function run(stage: Stage, steps: readonly Step[]): void {
  let at = 0;
  for (let sliceMs = 0; at < steps.length; sliceMs += SLICE_MS) {
    for (; at < steps.length && (steps[at] as Step).atMs < sliceMs + SLICE_MS; at += 1) (steps[at] as Step).play();
    vi.advanceTimersByTime(SLICE_MS);
  }
  vi.advanceTimersByTime(15_000);
  stage.observer.settleAll();
}

const outerNumber = (number: number): number => number * 3;
const innerNumber = (number: number): number => number * 3 + 1;
const failedNumber = (number: number): number => number * 3 + 2;
const idOf = (number: number): string => `0.0-${number.toString(36)}`;
const spanOf = ({ number }: Asked): string => hex(number + 700_000, 16);
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T;
}
