// What the views have to answer, computed from what each sidecar says itself: its record file and its admin port.
import type { Report } from '../../../src/judge/report.ts';
import { ascending, nearestRank } from '../../../src/measure/percentile.ts';
import { roundedUs } from '../../../src/telemetry/span-time.ts';
import type { RecordEntry } from '../../support/sidecar.ts';
import { CLASSES, type Member } from './fleet.ts';

/** What was seen next to the engine. */
export function innerOf({ sidecar }: Member): RecordEntry[] {
  return sidecar.records().filter(({ record }) => record.edge === undefined);
}

/** The hop of a region, from what its sidecar tells of each exchange at its admin port. */
export async function hopOf(member: Member) {
  const { region } = member;
  const outer = member.sidecar.records().filter(({ record }) => record.edge !== undefined);
  const reports = await reportsOf(member, outer);
  const holdsUs = ascending(reports.flatMap(({ hop }) => (hop?.holdMaxNs === undefined ? [] : [hop.holdMaxNs]))).map(
    roundedUs,
  );
  const ways = new Set(reports.flatMap(({ hop }) => hop?.way ?? []));
  return {
    region,
    hop: 'gateway',
    exchanges: outer.length,
    held: reports.filter(({ hop }) => hop?.word === 'holds').length,
    usual_way: [...ways].at(0) ?? '',
    hold_max_p50_ms: nearestRank(holdsUs, 50) / 1000,
    hold_max_p95_ms: nearestRank(holdsUs, 95) / 1000,
  };
}

interface Parts {
  readonly region: string;
  readonly class: string;
  readonly prompt_bucket: string;
  readonly exchanges: number;
  readonly ttft_p50_ms: number;
  readonly ttft_p95_ms: number;
  readonly basis_exact: number;
  readonly sidecars: number;
}

const BUCKETS = ['0-256', '1k-4k', 'unknown'];

/** By class and size of the prompt, as far as that was known when the first token came. */
export async function partsOf(member: Member): Promise<Parts[]> {
  const { region } = member;
  const reports = await reportsOf(member, innerOf(member));
  const groups = [...CLASSES].sort().flatMap((name) => BUCKETS.map((bucket) => ({ name, bucket })));
  return groups.flatMap(({ name, bucket }) => {
    const those = reports.filter(({ labels }) => labels.class === name && labels.promptBucket === bucket);
    if (those.length === 0) return [];
    const ttftsUs = ascending(those.map(({ figures }) => roundedUs(figures.ttftNs!)));
    return {
      region,
      class: name,
      prompt_bucket: bucket,
      exchanges: those.length,
      ttft_p50_ms: nearestRank(ttftsUs, 50) / 1000,
      ttft_p95_ms: nearestRank(ttftsUs, 95) / 1000,
      basis_exact: those.filter(({ figures }) => figures.split?.basis === 'exact').length,
      sidecars: 1,
    };
  });
}

/** What the admin port tells of these exchanges. */
function reportsOf({ sidecar }: Member, entries: readonly RecordEntry[]): Promise<Report[]> {
  return Promise.all(
    entries.map(async ({ record }) => JSON.parse((await sidecar.admin(`/api/streams/${record.id}`)).text) as Report),
  );
}
