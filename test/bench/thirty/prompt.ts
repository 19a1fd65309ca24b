// T02 and T04: a head is with the client at once although its body comes much later, and each byte before the next
// one is written. Both ends are in this process, so one clock tells what passed between.
import { readAtNs } from '../harness/marks.ts';
import { largest, msOf, percentile, short } from '../harness/stats.ts';
import { RawClient } from '../../support/raw-client.ts';
import { PLAN_FIELD, RawEngine, type EngineExchange, type Script } from '../../support/raw-engine.ts';
import { at, c, chatRequest, D, DONE, END, FINISH, HEAD } from '../../support/script.ts';
import type { WireMessage } from '../../support/wire-parser.ts';
import type { Check, Finding } from './finding.ts';
import { inTurns, type Turns } from './ways.ts';

const TURN_COUNT = 3;
const HEADS = { streamCount: 60, atOnceCount: 10, targetMs: 10 };
const BYTES = { streamCount: 8, atOnceCount: 4, everyMs: 6, targetMs: 2 };

/** A body 600 ms behind its head. */
const LATE_BODY = [at(0, HEAD), at(600, c(DONE), END)];
/** Head, and then every byte of an event and of its framing in a write of its own. */
const BYTE_BY_BYTE = [at(0, HEAD), ...bytesOf(Buffer.concat([c(D('token')), c(FINISH + DONE), Buffer.from(END)]))];

function bytesOf(whole: Buffer) {
  return Array.from(whole, (_, index) => at(30 + index * BYTES.everyMs, whole.subarray(index, index + 1)));
}

interface Played {
  readonly exchange: EngineExchange;
  readonly response: WireMessage;
}

async function playAll(
  engine: RawEngine,
  port: number,
  { script, streamCount, atOnceCount }: { script: Script; streamCount: number; atOnceCount: number },
): Promise<Played[]> {
  const played: Played[] = [];
  let left = streamCount;
  const lane = async (index: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, index * 13));
    for (; left > 0;) {
      left -= 1;
      const plan = engine.plan(script);
      const client = await RawClient.open(port);
      client.request(chatRequest({ lines: [`${PLAN_FIELD}: ${plan.id}`] }));
      const response = await client.response();
      client.close();
      played.push({ exchange: await plan.exchange, response });
    }
  };
  await Promise.all(Array.from({ length: atOnceCount }, (_, index) => lane(index)));
  return played;
}

/** Engine's write → read at the client, of heads. */
const headDelay = ({ exchange, response }: Played): number[] => [
  (response.head?.atNs ?? NaN) - (exchange.answer?.head?.atNs ?? NaN),
];
/** The same, of each write that brought a byte of the body. */
const byteDelays = ({ exchange, response }: Played): number[] =>
  (exchange.answer?.marks ?? []).map(({ bodyBytes, atNs }) => readAtNs(response.marks, bodyBytes) - atNs);

const pooled = (played: readonly (readonly Played[])[], delays: (each: Played) => number[]): number[] =>
  played.flat().flatMap(delays);

function finding(
  what: { id: string; what: string; targetMs: number },
  turns: Turns<Played[]>,
  delays: (each: Played) => number[],
): Finding {
  const via = pooled(turns.rubato, delays);
  const p99 = (values: readonly number[]): number => msOf(percentile(values, 99));
  return {
    id: what.id,
    what: what.what,
    value: p99(via),
    target: what.targetMs,
    unit: 'ms',
    direct: p99(pooled(turns.direct, delays)),
    pipe: p99(pooled(turns.pipe, delays)),
    note: `p50 ${short(msOf(percentile(via, 50)))}, worst ${short(msOf(largest(via)))} of ${via.length}; worst direct ${short(msOf(largest(pooled(turns.direct, delays))))}`,
  };
}

async function withEngine<T>(work: (engine: RawEngine) => Promise<T>): Promise<T> {
  const engine = await RawEngine.start();
  // A process that has slept for long is woken late, and both ends' stamps are this one's.
  const awake = setInterval(() => undefined, 1);
  try {
    return await work(engine);
  } finally {
    clearInterval(awake);
    await engine.stop();
  }
}

export const heads: Check = {
  ids: ['T02'],
  about: 'heads 600 ms before their bodies',
  run: () =>
    withEngine(async (engine) => {
      const turns = await inTurns(TURN_COUNT, { enginePort: engine.port }, ({ port }) =>
        playAll(engine, port, { ...HEADS, script: LATE_BODY }),
      );
      const what = { id: 'T02', what: 'head written → at the client, p99', targetMs: HEADS.targetMs };
      return [finding(what, turns, headDelay)];
    }),
};

/** By rubato's own stamps: a read's first stamp → the kernel took the last byte of it. */
function heldOf(rows: readonly { receivedAtNs: number[]; flushedAtNs: (number | null)[] }[]): number[] {
  return rows.flatMap(({ receivedAtNs, flushedAtNs }) =>
    flushedAtNs.map((atNs, row) => (atNs ?? NaN) - (receivedAtNs[row] as number)),
  );
}

export const bytes: Check = {
  ids: ['T04'],
  about: 'streams written byte by byte',
  run: () =>
    withEngine(async (engine) => {
      let held: number[] = [];
      let recordCount = 0;
      const turns = await inTurns(TURN_COUNT, { enginePort: engine.port }, async (way) => {
        const played = await playAll(engine, way.port, { ...BYTES, script: BYTE_BY_BYTE });
        recordCount += way.sidecar === undefined ? 0 : BYTES.streamCount;
        if (way.sidecar !== undefined) held = heldOf((await way.sidecar.untilRecords(recordCount)).map(chunksOf));
        return played;
      });
      const what = { id: 'T04', what: 'byte written → at the client, p99', targetMs: BYTES.targetMs };
      const worst = short(msOf(largest(held)));
      return [
        finding(what, turns, byteDelays),
        {
          id: 'T04',
          what: 'byte came → left, by rubato’s own stamps, p99',
          value: msOf(percentile(held, 99)),
          target: BYTES.targetMs,
          unit: 'ms',
          note: `p50 ${short(msOf(percentile(held, 50)))}, worst ${worst} of ${held.length}`,
        },
      ];
    }),
};

const chunksOf = ({ record }: { record: { chunks: { receivedAtNs: number[]; flushedAtNs: (number | null)[] } } }) =>
  record.chunks;
