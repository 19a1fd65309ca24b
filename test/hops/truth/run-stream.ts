// One stream through a hop with raw sockets on both sides, and what they saw.
import { setTimeout as sleep } from 'node:timers/promises';
import { nowNs } from '../../../src/base/clock.ts';
import { RawClient } from '../../support/raw-client.ts';
import { requestOf } from '../../support/script.ts';
import { fieldName, type WireMessage } from '../../support/wire-parser.ts';
import type { Rhythm } from './rhythms.ts';
import { growthOf, holdsNs, type Growth } from './text-growth.ts';
import type { EnginePlay, TruthEngine } from './truth-engine.ts';

const STREAM_WAIT_MS = 30_000;
const GONE_WAIT_MS = 8_000;

export interface Target {
  readonly port: number;
  readonly request: {
    readonly path: string;
    readonly model?: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly engineHeaders: Readonly<Record<string, string>>;
}

export interface StreamTruth {
  readonly status: number;
  readonly textIsSame: boolean;
  /** Between the client's request and the engine's sight of its head. */
  readonly askNs: number;
  readonly holdsNs: readonly number[];
  readonly ttftAddedNs: number;
  /** Head written by the engine → read by the client. */
  readonly headHoldNs: number;
  readonly inner: readonly Growth[];
  readonly outer: readonly Growth[];
  /** Body bytes, as they came, of each read that completed text. */
  readonly readCount: number;
  /** Names of head fields that came out otherwise: `+name`, `-name`, `~name`. */
  readonly headChanges: readonly string[];
}

export function requestBytes(target: Target, extra: readonly string[] = []): Buffer {
  const { path, model, headers } = target.request;
  const body = JSON.stringify({
    model: model ?? 'hop-model',
    stream: true,
    messages: [{ role: 'user', content: 'Say something about time.' }],
  });
  const lines = [
    'content-type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return requestOf({ method: 'POST', target: path, lines: [...lines, ...extra], body });
}

/** The body of an answer cut at the marks of its reads. */
function piecesOf(answer: WireMessage): { atNs: number; bytes: Buffer }[] {
  const { body } = answer;
  let from = 0;
  return answer.marks.map(({ atNs, bodyBytes }) => {
    const bytes = body.subarray(from, bodyBytes);
    from = bodyBytes;
    return { atNs, bytes };
  });
}

export function growthOfAnswer(answer: WireMessage): Growth[] {
  return growthOf(piecesOf(answer), answer.values('content-encoding')[0]).growth;
}

function changesOf(sent: readonly string[], came: readonly string[]): string[] {
  const valueOf = (lines: readonly string[]): Map<string, string> =>
    new Map(lines.map((line) => [fieldName(line), line.slice(line.indexOf(':') + 1).trim()]));
  const [before, after] = [valueOf(sent), valueOf(came)];
  const lost = [...before.keys()].filter((name) => !after.has(name)).map((name) => `-${name}`);
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `+${name}`);
  const other = [...after].filter(([name, value]) => before.has(name) && before.get(name) !== value);
  return [...lost, ...added, ...other.map(([name]) => `~${name}`)];
}

export async function runStream(engine: TruthEngine, target: Target, rhythm: Rhythm): Promise<StreamTruth> {
  engine.play(rhythm.writes, target.engineHeaders);
  const client = await RawClient.open(target.port);
  try {
    client.request(requestBytes(target));
    const answer = await client.response(0, STREAM_WAIT_MS);
    const play = engine.plays[0];
    if (play === undefined || answer.status !== 200) throw new Error(`the hop says ${answer.status}: ${answer.body}`);
    return compare(client.sentAtNs, answer, play, engine.headLines);
  } finally {
    client.close();
  }
}

/** Streams side by side, of which only the ends count here. */
export async function playMany(
  engine: TruthEngine,
  target: Target,
  rhythm: Rhythm,
  { count, everyMs }: { readonly count: number; readonly everyMs: number },
): Promise<void> {
  engine.play(rhythm.writes, target.engineHeaders);
  const one = async (index: number): Promise<void> => {
    await sleep(index * everyMs);
    const client = await RawClient.open(target.port);
    try {
      client.request(requestBytes(target));
      const answer = await client.response(0, STREAM_WAIT_MS);
      if (answer.status !== 200) throw new Error(`the hop says ${answer.status}: ${answer.body}`);
    } finally {
      client.close();
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

function compare(sentAtNs: number, answer: WireMessage, play: EnginePlay, sentLines: readonly string[]): StreamTruth {
  const inner = growthOf(play.writes.map(({ atNs, text }) => ({ atNs, bytes: Buffer.from(text) })));
  const outer = growthOf(piecesOf(answer), answer.values('content-encoding')[0]);
  const holds = holdsNs(inner.growth, outer.growth);
  const askNs = play.requestAtNs - sentAtNs;
  return {
    status: answer.status,
    textIsSame: inner.text === outer.text,
    askNs,
    holdsNs: holds,
    ttftAddedNs: askNs + (holds[0] ?? 0),
    headHoldNs: (answer.head?.atNs ?? 0) - play.headAtNs,
    inner: inner.growth,
    outer: outer.growth,
    readCount: answer.marks.length,
    headChanges: changesOf(sentLines, answer.head?.lines ?? []),
  };
}

/** The client leaves in mid-stream → the engine sees its connection go; absent when that takes too long. */
export async function runAbort(engine: TruthEngine, target: Target, rhythm: Rhythm): Promise<number | undefined> {
  engine.play(rhythm.writes, target.engineHeaders);
  const client = await RawClient.open(target.port);
  client.request(requestBytes(target));
  await engine.signal.until('some writes', () => (engine.plays[0]?.writes.length ?? 0) >= 30, STREAM_WAIT_MS);
  const play = engine.plays[0];
  client.rst();
  const leftAtNs = nowNs();
  try {
    await engine.signal.until(
      'the hop to leave',
      () => play?.goneAtNs !== undefined || play?.isOver === true,
      GONE_WAIT_MS,
    );
  } catch {
    return undefined; // Nobody told the engine: that is a result.
  }
  return play?.goneAtNs === undefined ? undefined : play.goneAtNs - leftAtNs;
}
