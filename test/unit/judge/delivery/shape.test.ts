// Goal: reads, bursts and what all rules share of them are what their definitions say, though they are gathered in one
// walk. Method: the definitions written out plainly, one filter after the other, over seeded streams through every hop
// of the study, with losses, pauses and choices put in.
import { expect, it } from 'vitest';
import { seededRandom, type Random } from '../../../../src/client/random.ts';
import { arrivalsOf, type Burst } from '../../../../src/judge/delivery/arrivals.ts';
import { shapeOf } from '../../../../src/judge/delivery/shape.ts';
import { channelBit, CHUNK_INSIDE_EVENT } from '../../../../src/record/kinds.ts';
import type { StreamRecord } from '../../../../src/record/stream-record.ts';
import { recordOfDelivery } from '../../../support/delivery/record.ts';
import { RARE_RHYTHMS, USUAL_RHYTHMS } from '../../../support/delivery/rhythms.ts';
import { HOLDING_WAYS, INNOCENT_WAYS } from '../../../support/delivery/ways.ts';

/** A third of them, from all kinds: the hops take longer to play than all the rest. */
const RHYTHMS = [...USUAL_RHYTHMS, ...RARE_RHYTHMS].filter((_, index) => index % 3 === 0);

type Seen = Pick<Burst, 'atNs' | 'endAtNs' | 'bytes' | 'eventCount' | 'textCount' | 'endsInside'>;

/** Reads with generated fragments, each with the bytes since the one before it. */
function plainReads({ chunks, events }: StreamRecord): Seen[] {
  const isText = (channels: number): boolean => (channels & ~channelBit('tool')) !== 0;
  const rowsByMoment = Map.groupBy(chunks.receivedAtNs.keys(), (row) => chunks.receivedAtNs[row] ?? 0);
  const eventsByRow = Map.groupBy(events.chunk.keys(), (index) => events.chunk[index] ?? -1);
  let bytes = 0;
  return [...rowsByMoment].flatMap(([atNs, rows]) => {
    const generated = rows.flatMap((row) => (eventsByRow.get(row) ?? []).map((index) => events.generated[index] ?? 0));
    bytes += rows.reduce((sum, row) => sum + (chunks.bytes[row] ?? 0), 0);
    const eventCount = generated.filter((channels) => channels !== 0).length;
    if (eventCount === 0) return [];
    const endsInside = ((chunks.flags[rows.at(-1) ?? -1] ?? 0) & CHUNK_INSIDE_EVENT) !== 0;
    const read = { atNs, endAtNs: atNs, bytes, eventCount, textCount: generated.filter(isText).length, endsInside };
    bytes = 0;
    return [read];
  });
}

function plainBursts(record: StreamRecord): Seen[] {
  const groups: Seen[][] = [];
  for (const read of plainReads(record)) {
    const last = groups.at(-1);
    if (last !== undefined && read.atNs - (last.at(-1) as Seen).atNs <= 1_200_000) last.push(read);
    else groups.push([read]);
  }
  const sum = (group: readonly Seen[], of: 'bytes' | 'eventCount' | 'textCount'): number =>
    group.reduce((total, read) => total + read[of], 0);
  const isDense = (group: readonly Seen[]): boolean => {
    const lengthNs = (group.at(-1) as Seen).atNs - (group[0] as Seen).atNs;
    return lengthNs <= 3_000_000 || lengthNs <= sum(group, 'eventCount') * 100_000;
  };
  const apart = groups.flatMap((group) => (isDense(group) ? [group] : group.map((read) => [read])));
  return apart.map((group) => ({
    ...(group[0] as Seen),
    endAtNs: (group.at(-1) as Seen).atNs,
    bytes: sum(group, 'bytes'),
    eventCount: sum(group, 'eventCount'),
    textCount: sum(group, 'textCount'),
    endsInside: (group.at(-1) as Seen).endsInside,
  }));
}

/** What all rules share, from the bursts themselves. */
function plainShape(record: StreamRecord) {
  const { bursts: all, choiceCount, textCount: allCount } = arrivalsOf(record);
  const withText = all.filter((burst) => burst.textCount > 0);
  const bursts = withText.filter((burst) => !burst.ours);
  const inner = bursts.filter((burst) => burst !== withText[0] && burst !== all.at(-1));
  const full = bursts.filter((burst) => burst !== all.at(-1));
  const countOf = (burst: Burst): number => burst.textCount / choiceCount;
  const textCount = bursts.reduce((sum, burst) => sum + burst.textCount, 0);
  const held = bursts.filter((burst) => countOf(burst) >= 9 && burst.silenceNs >= 20_000_000);
  const heldCount = held.reduce((sum, burst) => sum + burst.textCount, 0);
  const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    bursts,
    inner,
    counts: bursts.map(countOf),
    innerCounts: inner.map(countOf),
    heldRatio: ratio(heldCount, textCount),
    oursRatio: ratio(allCount - textCount, allCount),
    cutRatio: ratio(full.filter(({ endsInside }) => endsInside).length, full.length),
    singleRatio: ratio(bursts.filter((burst) => countOf(burst) <= 1).length, bursts.length),
  };
}

/** The same stream as other choices, tool calls, own lateness and a slow client would have it. */
function spoilt(record: StreamRecord, random: Random): StreamRecord {
  const endNs = record.chunks.receivedAtNs.at(-1) ?? 0;
  const startAtNs = Math.floor(random() * endNs);
  const generated = record.events.generated.map((channels) => {
    return channels !== 0 && random() < 0.2 ? channelBit('tool') : channels;
  });
  const errorBoundNs = record.chunks.errorBoundNs.map((boundNs) => (random() < 0.1 ? 30_000_000 : boundNs));
  return {
    ...record,
    answer: { ...record.answer, choiceCount: 1 + Math.floor(random() * 3) },
    chunks: { ...record.chunks, errorBoundNs },
    events: { ...record.events, generated },
    blockedNs: [startAtNs, startAtNs + Math.floor(random() * 1e8)],
    pauses: [{ startAtNs, endAtNs: startAtNs + 5e7, cause: 'gc' }],
  };
}

it.each([...INNOCENT_WAYS, ...HOLDING_WAYS].map((way) => [way.name, way] as const))('%s', async (_, way) => {
  let seed = 1;
  for (const rhythm of RHYTHMS) {
    const random = seededRandom((seed += 1));
    const clean = recordOfDelivery(await way.deliver(rhythm.writes(random), random));
    for (const record of [clean, spoilt(clean, random)]) {
      const label = `seed ${seed}, ${rhythm.name}`;
      const seen = arrivalsOf(record).bursts.map(({ silenceNs: _silence, ours: _ours, ...rest }) => rest);
      expect(seen, label).toEqual(plainBursts(record));
      const { record: _record, arrivals: _arrivals, ...shape } = shapeOf(record);
      expect(shape, label).toStrictEqual(plainShape(record));
    }
  }
});
