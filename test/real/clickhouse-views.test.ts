// Goal: the shipped views answer, over a fleet, which hop is worst, what TTFT is made of, who makes the stalls and what
// each class got of what it was promised; and their answers are those of the sidecars' own records.
// Method: two sidecars send to a real Collector with the shipped configuration, whose own exporter makes its tables in a
// real ClickHouse and fills them; expected answers are computed from the record files and the admin ports.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roundedUs } from '../../src/telemetry/span-time.ts';
import { poll } from '../support/signal.ts';
import { startClickHouse, type ClickHouse } from './clickhouse/clickhouse.ts';
import { hopOf, innerOf, partsOf } from './clickhouse/expected.ts';
import { ASKED_COUNTS, CLASSES, play, startFleet, type Fleet, type Member, type Region } from './clickhouse/fleet.ts';
import { collectorProgram, startCollector, type Collector } from './collector/collector.ts';
import { orMissing } from './judge/missing.ts';

/** Sizes of prompts that each class is asked with. */
const SIZES_COUNT = 2;
const ARRIVAL_WAIT_MS = 60_000;

const clickHouse: ClickHouse | undefined = await orMissing('ClickHouse', startClickHouse);
const program = await orMissing('Collector (for ClickHouse)', collectorProgram);
const isThere = clickHouse !== undefined && program !== undefined;

let collector: Collector | undefined;
let fleet: Fleet | undefined;
const sinceEpochS = Math.floor(Date.now() / 1000);

/** A window as people write it; `until` is in the future, so that nothing is cut off. */
function from(view: string, since: number = sinceEpochS): string {
  return `${view}(since = toDateTime(${since}), until = now() + INTERVAL 1 HOUR)`;
}

function rows<Row>(sql: string): Promise<Row[]> {
  return clickHouse!.rows<Row>(sql);
}

interface Goodput {
  readonly region: string;
  readonly class: string;
  readonly demanded: number;
  readonly good: number;
}

function goodput(since?: number): Promise<Goodput[]> {
  return rows(`SELECT region, class, demanded, good FROM ${from('rubato_goodput', since)} ORDER BY region, class`);
}

function memberOf(region: Region): Member {
  return fleet!.members.find((member) => member.region === region)!;
}

beforeAll(async () => {
  if (!isThere) return;
  const env = { CLICKHOUSE_ENDPOINT: clickHouse.endpoint, CLICKHOUSE_FLUSH: '200ms' };
  collector = await startCollector({ program, config: 'deploy/collector/clickhouse.yaml', env });
  fleet = await startFleet(collector.otlpUrl);
  for (const member of fleet.members) await play(member);
  for (const { region, sidecar } of fleet.members) {
    await sidecar.untilRecords(2 * ASKED_COUNTS[region] * SIZES_COUNT * CLASSES.length, ARRIVAL_WAIT_MS);
  }
  await clickHouse.createViews();
  // Stalls are told of a second after they happened, and counters once a second.
  const all = fleet.members.flatMap(innerOf);
  const arrived = async (): Promise<true | undefined> => {
    const [spans] = await rows<{ n: number }>('SELECT count() AS n FROM rubato_exchanges');
    const [hops] = await rows<{ n: number }>('SELECT count() AS n FROM rubato_hop_sights');
    const counted = (await goodput()).reduce((sum, { demanded }) => sum + demanded, 0);
    const isWhole = spans?.n === all.length && hops?.n === all.length && counted === (all.length * 2) / 3;
    return isWhole ? true : undefined;
  };
  await poll('everything to be in ClickHouse', arrived, ARRIVAL_WAIT_MS, 500).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}\n${collector?.log().slice(-3_000)}`, { cause: error });
  });
});

afterAll(async () => {
  await fleet?.stop();
  await collector?.stop();
  await clickHouse?.stop();
});

describe.skipIf(!isThere)('views in ClickHouse over two sidecars', () => {
  test('have each exchange once, with the figures of its record', async () => {
    const told = await rows<{ record_id: string; instance: string; ttft_us: number; parts_us: number; stalls: number }>(
      `SELECT record_id, instance, ttft_us, stall_count AS stalls,
         ifNull(queue_us, 0) + ifNull(prefill_us, 0) + ifNull(network_us, 0) + ifNull(rubato_us, 0)
           + ifNull(other_us, 0) + ifNull(engine_us, 0) AS parts_us
       FROM rubato_exchanges ORDER BY instance, record_id`,
    );
    const known = fleet!.members.flatMap((member) =>
      innerOf(member).map(({ record, figures }) => ({
        record_id: record.id,
        instance: `rubato-${member.region}`,
        ttft_us: roundedUs(figures.ttftNs!),
        parts_us: roundedUs(figures.ttftNs!),
        stalls: figures.stallCount,
      })),
    );
    // Ids are unique in a sidecar, not in a fleet.
    const keyOf = (row: { instance: string; record_id: string }): string => `${row.instance} ${row.record_id}`;
    expect(told).toEqual(known.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
  });

  test('name the hop that holds as the worst, with its holds', async () => {
    const told = await rows<Record<string, unknown>>(
      `SELECT region, hop, exchanges, held, usual_way, hold_max_p50_ms, hold_max_p95_ms
       FROM ${from('rubato_worst_hops')}`,
    );
    const known = await Promise.all(fleet!.members.map(hopOf));
    expect(told).toEqual(known.toSorted((a, b) => b.hold_max_p95_ms - a.hold_max_p95_ms));
    expect(told[0]).toMatchObject({ region: 'eu', usual_way: 'until_end' });
    expect(told[0]!['held']).toBeGreaterThan(0);
    expect(told[1]).toMatchObject({ region: 'us', held: 0, usual_way: '' });
  });

  test('take TTFT apart by size of the prompt', async () => {
    const told = await rows<Record<string, unknown>>(
      `SELECT region, class, prompt_bucket, exchanges, ttft_p50_ms, ttft_p95_ms, basis_exact, sidecars
       FROM ${from('rubato_ttft_parts')}`,
    );
    const known = (await Promise.all(fleet!.members.map(partsOf))).flat();
    expect(told).toEqual(known);
    // How long a prompt is can be told once the engine has stated the length of a few.
    expect(known.map(({ prompt_bucket: bucket }) => bucket)).toEqual(expect.arrayContaining(['0-256', '1k-4k']));
  });

  test('count stalls by cause, as the records name them', async () => {
    const told = await rows<{ region: string; class: string; cause: string; stalls: number }>(
      `SELECT region, class, cause, stalls FROM ${from('rubato_stall_causes')} ORDER BY region, class, cause`,
    );
    const counts = new Map<string, number>();
    for (const member of fleet!.members) {
      for (const { record, stalls = [] } of innerOf(member)) {
        for (const { cause } of stalls) {
          const key = [member.region, record.class.name, cause].join(' ');
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      }
    }
    expect(counts.size).toBeGreaterThan(0);
    expect(told.map((row) => [`${row.region} ${row.class} ${row.cause}`, row.stalls])).toEqual(
      [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  });

  test('tell what each class got of what it was promised', async () => {
    const askedOf = (region: Region): number => ASKED_COUNTS[region] * SIZES_COUNT;
    expect(await goodput()).toEqual(
      (['eu', 'us'] as const).flatMap((region) => [
        { region, class: 'lenient', demanded: askedOf(region), good: askedOf(region) },
        { region, class: 'strict', demanded: askedOf(region), good: 0 },
      ]),
    );
    const objectives = await rows(
      `SELECT region, class, kept, missed, unknown FROM ${from('rubato_objectives')} ORDER BY region, class`,
    );
    expect(objectives).toEqual(
      (['eu', 'us'] as const).flatMap((region) => [
        { region, class: 'lenient', kept: askedOf(region), missed: 0, unknown: 0 },
        { region, class: 'strict', kept: 0, missed: askedOf(region), unknown: 0 },
      ]),
    );
  });

  test('count only what came in the window that is asked for', async () => {
    // All that was counted before has arrived, as the tests above saw.
    const since = Math.floor(Date.now() / 1000);
    await play(memberOf('us'));
    const asked = ASKED_COUNTS.us * SIZES_COUNT;
    const expected = [
      { region: 'us', class: 'lenient', demanded: asked, good: asked },
      { region: 'us', class: 'strict', demanded: asked, good: 0 },
    ];
    const arrived = async (): Promise<Goodput[] | undefined> => {
      const told = await goodput(since);
      return told.reduce((sum, { demanded }) => sum + demanded, 0) >= 2 * asked ? told : undefined;
    };
    expect(await poll('the new exchanges', arrived, ARRIVAL_WAIT_MS, 500)).toEqual(expected);
  });
});

describe.skipIf(!isThere)('the growth of a counter in a window', () => {
  /** A window of the past, in which no sidecar here has been. */
  const since = sinceEpochS - 100_000;
  const until = since + 100;

  /** Instance, when it started, and what it told: seconds from the start of the window, and the value. */
  type Told = readonly [instance: string, startedS: number, points: readonly (readonly [atS: number, value: number])[]];

  async function insert(metric: string, told: readonly Told[]): Promise<void> {
    const values = told.flatMap(([instance, startedS, points]) =>
      points.map(([atS, value]) => {
        const times = `toDateTime(${since + startedS}), toDateTime(${since + atS})`;
        return `(map('service.instance.id', '${instance}'), 'rubato', '${metric}', ${times}, ${value}, true)`;
      }),
    );
    const columns = 'ResourceAttributes, ScopeName, MetricName, StartTimeUnix, TimeUnix, Value, IsMonotonic';
    await clickHouse!.run(`INSERT INTO otel.otel_metrics_sum (${columns}) VALUES ${values.join(', ')}`);
  }

  test('is from what it had before, from nothing where it is new, and from the first that is known else', async () => {
    await insert('rubato.made.up', [
      // Told before, twice within, and at the first moment that is outside.
      [
        'goes on',
        -5_000,
        [
          [-60, 10],
          [10, 15],
          [20, 22],
          [100, 99],
        ],
      ],
      [
        'starts anew',
        -5_000,
        [
          [-10, 40],
          [5, 43],
        ],
      ],
      [
        'starts anew',
        30,
        [
          [40, 3],
          [50, 4],
        ],
      ],
      [
        'was not heard of',
        -5_000,
        [
          [5, 100],
          [25, 104],
        ],
      ],
      ['has ended', -5_000, [[-30, 7]]],
      // So long ago that nobody looks there.
      ['is forgotten', -5_000, [[-700, 7]]],
      [
        'is new in a sidecar',
        -5_000,
        [
          [20, 3],
          [30, 5],
        ],
      ],
    ]);
    // What every sidecar tells each time.
    await insert('rubato.self.cpu', [
      [
        'is new in a sidecar',
        -5_000,
        [
          [10, 1],
          [20, 1],
          [30, 1],
        ],
      ],
      [
        'was not heard of',
        -5_000,
        [
          [5, 1],
          [25, 1],
        ],
      ],
    ]);
    const told = await rows(
      `SELECT instance, sum(increase) AS grown
       FROM rubato_increases(since = toDateTime(${since}), until = toDateTime(${until}))
       WHERE metric = 'rubato.made.up' GROUP BY instance ORDER BY instance`,
    );
    expect(told).toEqual([
      { instance: 'goes on', grown: 12 },
      { instance: 'has ended', grown: 0 },
      { instance: 'is new in a sidecar', grown: 5 },
      { instance: 'starts anew', grown: 3 + 4 },
      { instance: 'was not heard of', grown: 4 },
    ]);
  });
});
