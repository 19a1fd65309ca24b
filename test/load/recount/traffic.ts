// Twenty thousand exchanges of all kinds, made from a seed and played to an observer as a relay's tape would tell
// them: whole and broken streams, answers that are no streams, refusals, leaving clients, retries, stamps that cannot
// be trusted, tokens that nobody counted.
import type { TapeHandler } from '../../../src/tape/entries.ts';
import { DONE, event, Play } from '../../unit/observe/tape-play.ts';

const MS = 1e6;
/** Exchanges open one after the other, so that retries come after what they try again. */
const APART_MS = 40_000;
const BREATHE_EVERY_COUNT = 500;

/** A small generator with a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CLASSES = ['chat', 'smooth', 'documents', 'strict', 'nothing'];
const WISHES = ['800', '2.5', '0', 'soon', '9999999', ' 15 ', '-3', '100.25'];

interface Dice {
  readonly chance: (share: number) => boolean;
  readonly between: (least: number, most: number) => number;
  readonly oneOf: <Value>(values: readonly Value[]) => Value;
}

function diceOf(random: () => number): Dice {
  return {
    chance: (share) => random() < share,
    between: (least, most) => least + Math.floor(random() * (most - least + 1)),
    oneOf: (values) => values[Math.floor(random() * values.length)] as (typeof values)[number],
  };
}

/** `breathe` is waited for now and then, so that what is written in the background gets its turn. */
export async function playTraffic(
  handler: TapeHandler,
  exchangeCount: number,
  { seed, breathe }: { readonly seed: number; readonly breathe: () => Promise<void> },
): Promise<void> {
  const dice = diceOf(randomOf(seed));
  /** Key of an exchange that has failed, for the next one to try again. */
  let failedKey: string | undefined;
  for (let number = 1; number <= exchangeCount; number += 1) {
    const retried = failedKey !== undefined && dice.chance(0.5);
    const key = retried ? failedKey : `key-${number}`;
    const isFailed = playOne(handler, number, dice, key ?? '');
    failedKey = isFailed ? key : undefined;
    if (number % BREATHE_EVERY_COUNT === 0) await breathe();
  }
}

function headFields(dice: Dice, key: string): string[] {
  const fields = ['Host', 'engine.test', 'Content-Type', 'application/json', 'Idempotency-Key', key];
  fields.push('X-Traffic-Class', dice.oneOf(CLASSES));
  for (const kind of ['ttft', 'tpot', 'gap']) {
    if (dice.chance(0.06)) fields.push(`X-SLO-${kind.toUpperCase()}-ms`, dice.oneOf(WISHES));
  }
  return fields;
}

/** True when it brought no whole answer. */
function playOne(handler: TapeHandler, number: number, dice: Dice, key: string): boolean {
  const isGeneration = !dice.chance(0.03);
  const play = new Play(handler, number, {
    openedAtNs: 7_000_000_123 + number * APART_MS * MS,
    fields: headFields(dice, key),
    method: isGeneration ? 'POST' : 'GET',
    target: isGeneration ? '/v1/chat/completions' : '/v1/models',
  });
  const streams = dice.chance(0.93);
  const body = { model: 'm', stream: streams, messages: [{ role: 'user', content: `${number}` }] };
  if (isGeneration) play.request({ ...body, ...(dice.chance(0.3) && { max_tokens: dice.oneOf([8, 20, 60]) }) });
  if (!isGeneration) return playList(play);
  const way = dice.between(0, 99);
  if (way < 3) return refuse(play, 'shed', 'RBT_OVERLOAD');
  if (way < 5) return refuse(play, 'connect_error', '');
  if (way < 7) return refuse(play, 'timeout_head', '');
  if (way < 10) return endedAt(play, dice.between(1, 900), 'client_abort');
  if (way < 14) return playError(play, dice.oneOf([400, 429, 500, 503]));
  if (!streams) return playWhole(play, dice);
  return playStream(play, dice, way);
}

function endedAt(play: Play, atMs: number, wireEnd: 'client_abort' | 'upstream_aborted' | 'timeout_idle'): boolean {
  play.end(atMs, { wireEnd });
  return true;
}

function refuse(play: Play, wireEnd: 'shed' | 'connect_error' | 'timeout_head', reason: string): boolean {
  play.end(5, { wireEnd, answeredByUs: true, reason });
  return true;
}

const JSON_FIELDS = ['Content-Type', 'application/json'];

function playList(play: Play): boolean {
  play.head(3, { fields: JSON_FIELDS, framing: 'length' }).chunk(4, '{"object":"list","data":[{"id":"m"}]}').end(5);
  return false;
}

function playError(play: Play, status: number): boolean {
  play.head(20, { status, fields: JSON_FIELDS, framing: 'length' }).chunk(21, '{"error":{"message":"no"}}').end(22);
  return true;
}

const PROMPTS = [12, 255, 256, 1_500, 2_000, 2_001, 9_000];

function usageOf(promptTokens: number, output: number): object {
  return { prompt_tokens: promptTokens, completion_tokens: output };
}

function playWhole(play: Play, dice: Dice): boolean {
  const output = dice.between(1, 40);
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: finishOf(dice) }];
  const answer = {
    id: 'x',
    object: 'chat.completion',
    model: 'm',
    choices,
    usage: usageOf(dice.oneOf(PROMPTS), output),
  };
  const atMs = dice.between(50, 30_000);
  play.head(atMs, { fields: JSON_FIELDS, framing: 'length' }).chunk(atMs + 1, JSON.stringify(answer));
  play.end(atMs + 2);
  return false;
}

function finishOf(dice: Dice): string {
  return dice.oneOf(['stop', 'stop', 'stop', 'stop', 'length', 'content_filter']);
}

interface Flow {
  atMs: number;
  tokenCount: number;
  /** The engine states counts with each event. */
  readonly isCounted: boolean;
  readonly promptTokens: number;
}

/** An event, with the counts so far where the engine states them. */
function eventOf({ isCounted, promptTokens, tokenCount }: Flow, delta: object): string {
  if (!isCounted) return event(delta);
  const usage = { prompt_tokens: promptTokens, completion_tokens: tokenCount };
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta }], usage })}\n\n`;
}

/** Tokens with gaps of several kinds; stamps of a busy relay now and then, and chunks whose bytes were left out. */
function playTokens(play: Play, dice: Dice, flow: Flow, count: number): void {
  const usualMs = dice.oneOf([5, 8, 12, 30, 45]);
  const isBusy = dice.chance(0.06);
  const isLossy = dice.chance(0.02);
  const thinks = dice.chance(0.12) ? dice.between(1, count) : 0;
  for (let index = 0; index < count; index += 1) {
    flow.tokenCount += 1;
    const bytes = eventOf(flow, index < thinks ? { reasoning_content: 'hm' } : { content: 'a' });
    const changes = {
      ...(isBusy && dice.chance(0.5) && { errorBoundNs: dice.between(0, 6) * MS }),
      ...(isLossy && dice.chance(0.1) && { bytes: undefined, bytesOmitted: true }),
    };
    play.chunk(flow.atMs, bytes, changes);
    flow.atMs += dice.chance(0.04) ? dice.between(60, 400) : usualMs + dice.between(0, 2);
  }
}

/** By what is left of the hundred ways: 14 to 99. */
function playStream(play: Play, dice: Dice, way: number): boolean {
  const flow: Flow = {
    atMs: dice.oneOf([40, 300, 799, 900, 2_500]) + dice.between(0, 9),
    tokenCount: 0,
    isCounted: dice.chance(0.4),
    promptTokens: dice.oneOf(PROMPTS),
  };
  play.head(flow.atMs - 5).chunk(flow.atMs - 4, eventOf(flow, { role: 'assistant', content: '' }));
  if (way < 17) return endedAt(play, flow.atMs - 2, 'client_abort');
  if (way < 19) return endedAt(play, flow.atMs - 2, 'upstream_aborted');
  const count = dice.chance(0.03) ? dice.between(100, 140) : dice.between(1, 26);
  if (way >= 20) playTokens(play, dice, flow, count);
  if (way >= 20 && way < 26)
    return endedAt(play, flow.atMs, dice.oneOf(['client_abort', 'upstream_aborted', 'timeout_idle']));
  if (way >= 26 && way < 29) {
    play.end(flow.atMs);
    return true;
  }
  if (way >= 29 && way < 31) {
    play.chunk(flow.atMs, 'data: {"error":{"type":"server_error","message":"x"}}\n\n').end(flow.atMs + 1);
    return true;
  }
  const usage = dice.chance(0.7)
    ? `data: ${JSON.stringify({ choices: [], usage: usageOf(flow.promptTokens, flow.tokenCount) })}\n\n`
    : '';
  play.chunk(flow.atMs, event({}, { finish_reason: finishOf(dice) }) + usage + DONE).end(flow.atMs + 1);
  return false;
}
