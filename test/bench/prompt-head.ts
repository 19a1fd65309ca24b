// How soon the head is at the client although no body follows, and how soon each write is, whole: through
// rubato and directly, in turns, a few streams at a time, on raw sockets.
import { readAtNs } from './harness/marks.ts';
import { startRubato } from './harness/contender.ts';
import { progress, report, type BenchResult } from './harness/report.ts';
import { largest, msOf, percentile, spreadOf, spreadText } from './harness/stats.ts';
import { RawClient } from '../support/raw-client.ts';
import { PLAN_FIELD, RawEngine } from '../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, HEAD } from '../support/script.ts';

const TURN_COUNT = 5;
const STREAM_COUNT = 60;
const AT_ONCE_COUNT = 4;
const TARGET_MS = 10;
/** A head, a long silence, single chunks, and a large write that no single read can hold. */
const SCRIPT = [
  at(0, HEAD),
  at(150, c(D('first'))),
  at(170, c(D('second'))),
  at(190, c(D('x'.repeat(200_000)))),
  at(230, c(FINISH + DONE), END),
];

interface Turn {
  readonly headNs: number[];
  readonly chunkNs: number[];
}

async function play(engine: RawEngine, port: number, turn: Turn): Promise<void> {
  const plan = engine.plan(SCRIPT);
  const client = await RawClient.open(port);
  client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
  const response = await client.response();
  client.close();
  const sent = (await plan.exchange).answer;
  turn.headNs.push((response.head?.atNs ?? NaN) - (sent?.head?.atNs ?? NaN));
  for (const mark of sent?.marks ?? []) turn.chunkNs.push(readAtNs(response.marks, mark.bodyBytes) - mark.atNs);
}

async function playTurn(engine: RawEngine, port: number): Promise<Turn> {
  const turn: Turn = { headNs: [], chunkNs: [] };
  let left = STREAM_COUNT;
  const lane = async (index: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, index * 13));
    while (left > 0) {
      left -= 1;
      await play(engine, port, turn);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_COUNT }, (_, index) => lane(index)));
  return turn;
}

type Read = (turn: Turn) => number;
const READS: Readonly<Record<string, Read>> = {
  'head p50': ({ headNs }) => msOf(percentile(headNs, 50)),
  'head p99': ({ headNs }) => msOf(percentile(headNs, 99)),
  'head worst': ({ headNs }) => msOf(largest(headNs)),
  'chunk p50': ({ chunkNs }) => msOf(percentile(chunkNs, 50)),
  'chunk p99': ({ chunkNs }) => msOf(percentile(chunkNs, 99)),
  'chunk worst': ({ chunkNs }) => msOf(largest(chunkNs)),
};

async function run(): Promise<BenchResult> {
  const engine = await RawEngine.start();
  const rubato = await startRubato('rubato', { enginePort: engine.port });
  const ways = { direct: engine.port, rubato: rubato.port };
  await playTurn(engine, rubato.port);
  const turns: Record<string, Turn[]> = { direct: [], rubato: [] };
  for (let nth = 0; nth < TURN_COUNT; nth += 1) {
    for (const [name, port] of Object.entries(ways)) {
      progress(`prompt-head: turn ${nth + 1}/${TURN_COUNT}, ${name}`);
      turns[name]?.push(await playTurn(engine, port));
    }
  }
  await rubato.stop();
  await engine.stop();
  const via = turns['rubato'] ?? [];
  const pooled = (read: (turn: Turn) => readonly number[], percent: number): number =>
    msOf(percentile(via.flatMap(read), percent));
  return {
    name: 'prompt-head',
    tables: [
      {
        title: `Engine's write → whole at the client, in ms; ${TURN_COUNT} turns of ${STREAM_COUNT} streams`,
        head: ['way', ...Object.keys(READS)],
        rows: Object.entries(turns).map(([name, each]) => [
          name,
          ...Object.values(READS).map((read) => spreadText(each.map(read))),
        ]),
      },
    ],
    verdicts: [
      { what: 'head without body, p99', value: pooled(({ headNs }) => headNs, 99), target: TARGET_MS, unit: 'ms' },
      {
        what: 'write whole at the client, p99',
        value: pooled(({ chunkNs }) => chunkNs, 99),
        target: TARGET_MS,
        unit: 'ms',
      },
    ],
    figures: Object.fromEntries(
      Object.entries(turns).map(([name, each]) => [
        name,
        Object.fromEntries(Object.entries(READS).map(([figure, read]) => [figure, spreadOf(each.map(read))])),
      ]),
    ),
  };
}

await report(run);
