// How far rubato's figures are from what really happened. A raw engine writes at times of its own and
// notes each; what rubato says of gaps, TTFT, TTFO, TPOT, the last token and the end is laid beside it.
import { startRubato, type Rubato } from './harness/contender.ts';
import { progress, report, type BenchResult } from './harness/report.ts';
import { largest, msOf, percentile, short, spreadOf } from './harness/stats.ts';

import { seededRandom } from '../../src/client/random.ts';
import type { Figures, Split } from '../../src/measure/figures.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, delta, DONE, END, event, FINISH, HEAD, type Step } from '../support/script.ts';
import type { RecordEntry } from '../support/sidecar.ts';

const ROUND_COUNT = 5;
const STREAM_COUNT = 30;
const AT_ONCE_COUNT = 4;
const TOKEN_COUNT = 60;
const REASONING_COUNT = 5;
const TARGET_MS = 2;
const SEED = 20_261_129;

/** Errors of one kind, in ns; absent figures are NaN and fail every verdict. */
type Errors = Record<string, number[]>;

const random = seededRandom(SEED);
const within = (fromMs: number, toMs: number): number => fromMs + random() * (toMs - fromMs);

/** Head, a role mark, reasoning, text, a finish with usage, and an end that comes later still. */
function scriptOf(): Step[] {
  let atMs = within(5, 40);
  const steps = [at(0, HEAD), at(atMs, c(delta({ role: 'assistant', content: '' })))];
  atMs += within(20, 80);
  for (let token = 0; token < TOKEN_COUNT; token += 1) {
    steps.push(at(atMs, c(token < REASONING_COUNT ? delta({ reasoning_content: `r${token}` }) : D(`t${token}`))));
    // Mostly a usual pace, now and then a stall.
    atMs += random() < 0.03 ? within(120, 300) : within(4, 40);
  }
  const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: TOKEN_COUNT } });
  steps.push(at(atMs, c(FINISH + usage)), at(atMs + 15, c(DONE)), at(atMs + 40, END));
  return steps;
}

async function play(
  engine: RawEngine,
  rubato: Rubato,
  model: string,
): Promise<{ sentAtNs: number; exchange: EngineExchange }> {
  const plan = engine.plan(scriptOf());
  const client = await RawClient.open(rubato.port);
  client.request(chatRequest({ model, lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  await client.response(0, 60_000);
  client.close();
  return { sentAtNs: client.sentAtNs, exchange: await plan.exchange };
}

function collect(errors: Errors, name: string, said: number | undefined, was: number): void {
  (errors[name] ??= []).push(Math.abs((said ?? NaN) - was));
}

/** Writes are: head, role, tokens, finish, `[DONE]`, end. Chunks of the record are the same less the head. */
function compare(errors: Errors, entry: RecordEntry, sentAtNs: number, exchange: EngineExchange): void {
  const { record, figures } = entry;
  const writtenAtNs = exchange.writes.map(({ atNs }) => atNs);
  const token = (index: number): number => writtenAtNs[2 + index] ?? NaN;
  const received = record.chunks.receivedAtNs;
  for (let index = 1; index < TOKEN_COUNT; index += 1) {
    const saidNs = (received[1 + index] ?? NaN) - (received[index] ?? NaN);
    collect(errors, 'gap', saidNs, token(index) - token(index - 1));
  }
  collect(errors, 'TTFT', figures.ttftNs, token(0) - sentAtNs);
  collect(errors, 'TTFO', figures.ttfoNs, token(REASONING_COUNT) - sentAtNs);
  collect(errors, 'TPOT', figures.tpotNs, (token(TOKEN_COUNT - 1) - token(0)) / (TOKEN_COUNT - 1));
  collect(errors, 'last token', figures.lastTokenNs, token(TOKEN_COUNT - 1) - sentAtNs);
  collect(errors, 'end', figures.durationNs, (writtenAtNs.at(-1) ?? NaN) - sentAtNs);
}

function isExact({ split, ttftNs }: Figures): boolean {
  if (split === undefined) return false;
  const { queueNs = 0, prefillNs = 0, networkNs, rubatoNs, otherNs = 0, engineNs = 0 } = split;
  return queueNs + prefillNs + networkNs + rubatoNs + otherNs + engineNs === ttftNs && partsAreExact(split);
}

function partsAreExact({ network, networkNs, rubato, rubatoNs }: Split): boolean {
  const { uploadNs, connectNs, wireNs = 0, clientNs } = network;
  return uploadNs + connectNs + wireNs + clientNs === networkNs && rubato.forwardNs + rubato.holdNs === rubatoNs;
}

interface Round {
  readonly errors: Errors;
  readonly unevenCount: number;
  readonly taintedCount: number;
  readonly gapCount: number;
}

async function playRound(engine: RawEngine, rubato: Rubato, name: string): Promise<Round> {
  const errors: Errors = {};
  let [next, unevenCount, taintedCount, gapCount] = [0, 0, 0, 0];
  const played = new Map<string, Awaited<ReturnType<typeof play>>>();
  const lane = async (index: number): Promise<void> => {
    // Not all in one turn: what a burst costs is another bench's question.
    await new Promise((resolve) => setTimeout(resolve, index * 37));
    while (next < STREAM_COUNT) {
      next += 1;
      const model = `${name}-${next}`;
      played.set(model, await play(engine, rubato, model));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_COUNT }, (_, index) => lane(index)));
  // Records are read when nothing runs any more: reading a long file is work, and this process keeps time.
  for (const [model, { sentAtNs, exchange }] of played) {
    const entry = await rubato.sidecar.record(model, ({ request }) => request.model === model);
    compare(errors, entry, sentAtNs, exchange);
    if (!isExact(entry.figures)) unevenCount += 1;
    gapCount += entry.figures.gapsReceived.count;
    taintedCount += Object.values(entry.figures.taintedCounts).reduce((sum, count) => sum + count, 0);
  }
  return { errors, unevenCount, taintedCount, gapCount };
}

async function run(): Promise<BenchResult> {
  const engine = await RawEngine.start();
  const rubato = await startRubato('rubato', { enginePort: engine.port });
  // A process that has slept for long is woken late, and both ends' stamps are this one's.
  const awake = setInterval(() => undefined, 1);
  await playRound(engine, rubato, 'warm');
  const rounds: Round[] = [];
  for (let nth = 1; nth <= ROUND_COUNT; nth += 1) {
    progress(`truth: round ${nth}/${ROUND_COUNT}`);
    rounds.push(await playRound(engine, rubato, `round-${nth}`));
  }
  clearInterval(awake);
  await rubato.stop();
  await engine.stop();
  const names = Object.keys(rounds[0]?.errors ?? {});
  const pooled = (name: string): number[] => rounds.flatMap(({ errors }) => errors[name] ?? []);
  const sum = (count: (round: Round) => number): number => rounds.reduce((total, round) => total + count(round), 0);
  return {
    name: 'truth',
    tables: [
      {
        title: `|what rubato says − what the engine did|, in ms; ${ROUND_COUNT * STREAM_COUNT} streams of ${TOKEN_COUNT} tokens, seed ${SEED}`,
        head: ['figure', 'values', 'p50', 'p99', 'worst', 'p99 of the rounds'],
        rows: names.map((name) => {
          const errors = pooled(name);
          const spread = spreadOf(rounds.map((round) => msOf(percentile(round.errors[name] ?? [], 99))));
          return [
            name,
            String(errors.length),
            short(msOf(percentile(errors, 50))),
            short(msOf(percentile(errors, 99))),
            short(msOf(largest(errors))),
            `${short(spread.min)} to ${short(spread.max)}`,
          ];
        }),
      },
      {
        title: 'Gaps',
        head: ['counted', 'tainted (the relay was too busy to be sure)'],
        rows: [[String(sum(({ gapCount }) => gapCount)), String(sum(({ taintedCount }) => taintedCount))]],
      },
    ],
    verdicts: [
      ...names.map((name) => ({
        what: `${name}, p99`,
        value: msOf(percentile(pooled(name), 99)),
        target: TARGET_MS,
        unit: 'ms',
      })),
      {
        what: 'TTFTs whose parts do not sum exactly',
        value: sum(({ unevenCount }) => unevenCount),
        target: 0,
        unit: 'of all',
      },
    ],
    figures: Object.fromEntries(
      names.map((name) => [
        name,
        {
          p50Ms: spreadOf(rounds.map(({ errors }) => msOf(percentile(errors[name] ?? [], 50)))),
          p99Ms: spreadOf(rounds.map(({ errors }) => msOf(percentile(errors[name] ?? [], 99)))),
        },
      ]),
    ),
  };
}

await report(run);
