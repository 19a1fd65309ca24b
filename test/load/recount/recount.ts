// What 20,000 records come to, counted again in the plainest way from the record alone: nothing of the code under
// test is used, only the shape of its data. Sums are kept by metric, class and further labels.

import type { Objective } from '../../../src/record/objective.ts';
import type { StreamRecord } from '../../../src/record/stream-record.ts';

const VISIBLE = (bits: number): boolean => (bits & ~2) !== 0;
const MS = 1e6;

export class Tally {
  readonly counts = new Map<string, number>();

  add(metric: string, labels: Record<string, string>, count = 1): void {
    const key = keyOf(metric, labels);
    this.counts.set(key, (this.counts.get(key) ?? 0) + count);
  }
}

export function keyOf(metric: string, labels: Record<string, string>): string {
  const pairs = Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1));
  return `${metric} ${pairs.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

interface Seen {
  readonly ttft: number | undefined;
  readonly ttfo: number | undefined;
  readonly tpot: number | undefined;
  readonly total: number;
  readonly gaps: readonly number[];
  readonly tainted: number;
  readonly lost: boolean;
  /** 'yes' it came to its end, 'fail' it did not, 'left' its client went while it came. */
  readonly whole: 'yes' | 'fail' | 'left';
  /** The first token surely never reached the client. */
  readonly tokenless: boolean;
}

function look(record: StreamRecord): Seen {
  const { chunks, events, answer, end } = record;
  const spoiled: boolean[] = chunks.flags.map((flags: number) => (flags & 3) !== 0);
  const tokens: { row: number; bits: number }[] = [];
  if (answer.streamed) {
    events.chunk.forEach((row: number, at: number) => {
      const bits = events.generated[at] ?? 0;
      if (bits !== 0) tokens.push({ row, bits });
    });
  }
  const delivered = (token: { row: number } | undefined): number | undefined => {
    if (token === undefined || spoiled.slice(0, token.row + 1).includes(true)) return undefined;
    return chunks.flushedAtNs[token.row] ?? undefined;
  };
  const at = (column: readonly number[], row: number): number => column[row] ?? Number.NaN;
  const gaps: number[] = [];
  let tainted = 0;
  let from: number | undefined;
  for (const { row: to } of tokens) {
    const gap = from === undefined ? 0 : at(chunks.receivedAtNs, to) - at(chunks.receivedAtNs, from);
    if (from !== undefined && gap > 0 && !spoiled.slice(from + 1, to + 1).includes(true)) {
      const worst = Math.max(at(chunks.errorBoundNs, from), at(chunks.errorBoundNs, to));
      if (worst > MS && worst > gap / 20) tainted += 1;
      else gaps.push(gap);
    }
    from = to;
  }
  const ttft = delivered(tokens[0]);
  const failed = end.outcome !== 'ok' && end.outcome !== 'client_abort';
  const lossy = record.doubts.some((doubt) => /^(tape_bytes|tape_chunks|log_full)$/.test(doubt));
  const unseen = ttft === undefined && answer.streamed && lossy;
  const count = (record.tokens.output ?? 0) - 1;
  const [first, last] = [tokens[0], tokens.at(-1)].map((token) => at(chunks.receivedAtNs, token?.row ?? 0));
  const span = tokens.length < 2 ? 0 : (last ?? 0) - (first ?? 0);
  const countable = !spoiled.includes(true) && count > 0 && span > 0;
  return {
    ttft,
    ttfo: delivered(tokens.find(({ bits }) => VISIBLE(bits))),
    tpot: countable ? Math.round(span / count) : undefined,
    total: record.marks.clientEndAtNs ?? Number.NaN,
    gaps: gaps.sort((left, right) => left - right),
    tainted,
    lost: lossy,
    whole: end.outcome === 'ok' ? 'yes' : failed ? 'fail' : 'left',
    tokenless: end.outcome !== 'ok' && ttft === undefined && !unseen,
  };
}

type Word = 'true' | 'false' | 'unknown';
type Said = { readonly met: Word; readonly gaps?: [number, number, number] } | 'out';

const word = (kept: boolean): Word => (kept ? 'true' : 'false');

function say(one: Objective, record: StreamRecord, seen: Seen): Said {
  const { promptBuckets, promptTokensMin = 0, promptTokensMax = Infinity, outputTokensMax } = one.scope ?? {};
  const bad = seen.whole === 'fail' || seen.tokenless;
  const bounds: (boolean | undefined)[] = [];
  if (promptBuckets !== undefined) {
    const { promptBucket } = record.labels;
    bounds.push(promptBuckets.includes(promptBucket) ? true : promptBucket === 'unknown' ? undefined : false);
  }
  if (one.scope?.promptTokensMin !== undefined || one.scope?.promptTokensMax !== undefined) {
    const size = record.tokens.prompt ?? record.request.promptTokensEstimate;
    bounds.push(size === undefined ? undefined : size >= promptTokensMin && size <= promptTokensMax);
  }
  if (outputTokensMax !== undefined) {
    const { output } = record.tokens;
    const short = (record.request.maxTokens ?? Infinity) <= outputTokensMax || bad;
    bounds.push(output === undefined ? (short ? true : undefined) : output <= outputTokensMax);
  }
  if (bounds.includes(false)) return 'out';
  if (bounds.includes(undefined)) return { met: 'unknown' };
  return judge(one, record, seen, bad);
}

function judge(one: Objective, record: StreamRecord, seen: Seen, bad: boolean): Said {
  const { kind, limitNs = 0, percent = 0, invalidFinishes = [] } = one;
  const { gaps, tainted } = seen;
  const within = gaps.filter((gap) => gap <= limitNs).length;
  const unsure = seen.lost || tainted > gaps.length;
  const { finishReasons, dialect } = record.answer;
  switch (kind) {
    case 'ttft':
      if (seen.ttft !== undefined) return { met: word(seen.ttft <= limitNs) };
      return { met: seen.tokenless ? 'false' : 'unknown' };
    case 'ttfo':
      if (seen.ttfo !== undefined) return { met: word(seen.ttfo <= limitNs) };
      return { met: bad || (seen.whole === 'left' && seen.ttft !== undefined) ? 'false' : 'unknown' };
    case 'gap_max':
      if (within < gaps.length || bad) return { met: 'false' };
      return { met: gaps.length === 0 || unsure ? 'unknown' : 'true' };
    case 'gap_percentile':
      if (bad) return { met: 'false' };
      if (gaps.length < 100 / (100 - percent) || unsure) return { met: 'unknown' };
      return { met: word((gaps[Math.ceil((percent * gaps.length) / 100) - 1] ?? Infinity) <= limitNs) };
    case 'gap_pooled': {
      const counted: [number, number, number] = [within, gaps.length - within, tainted];
      if (bad) return { met: 'false', gaps: counted };
      if (gaps.length + tainted === 0) return 'out';
      if (gaps.length === 0 || unsure) return { met: 'unknown', gaps: counted };
      return { met: word(within * 100 >= percent * gaps.length), gaps: counted };
    }
    case 'tpot':
      if (bad) return { met: 'false' };
      return { met: seen.whole === 'left' || seen.tpot === undefined ? 'unknown' : word(seen.tpot <= limitNs) };
    case 'e2e':
      if (bad) return { met: 'false' };
      return { met: seen.whole === 'left' ? 'unknown' : word(seen.total <= limitNs) };
    case 'valid':
      if (bad || finishReasons.some((reason: string) => invalidFinishes.includes(reason))) return { met: 'false' };
      if (seen.whole === 'left' || dialect === 'opaque' || record.doubts.includes('tape_bytes'))
        return { met: 'unknown' };
      return { met: invalidFinishes.length > 0 && finishReasons.length === 0 ? 'unknown' : 'true' };
    case 'served': {
      const { status } = record.response;
      return { met: word(record.end.outcome !== 'shed' && status !== undefined && status < 400) };
    }
    default:
      throw new Error(`no such kind: ${kind}`);
  }
}

/** Adds one record's part to the tally. */
export function recount(record: StreamRecord, tally: Tally): void {
  if (record.request.generation !== true || record.retryOf !== undefined) return;
  const seen = look(record);
  const own = { class: record.class.name };
  const wish = (name: string, kind: Objective['kind'], limitNs: number | undefined): Objective[] =>
    limitNs === undefined ? [] : [{ name, kind, limitNs, target: 1 }];
  const { ttftNs, tpotNs, gapNs } = record.request.asked ?? {};
  const wishes: Objective[] = [
    ...wish('asked_ttft', 'ttft', ttftNs),
    ...wish('asked_tpot', 'tpot', tpotNs),
    ...wish('asked_gap_max', 'gap_max', gapNs),
  ];
  const promised: readonly Objective[] = record.class.objectives ?? [];
  const words: Word[] = [];
  for (const one of [...promised, ...wishes]) {
    const said = say(one, record, seen);
    if (said === 'out') continue;
    const isReplaced = !wishes.includes(one) && wishes.some(({ kind }) => kind === one.kind);
    if (!isReplaced) words.push(said.met);
    if (said.gaps === undefined)
      tally.add('rubato_slo_exchanges_total', { ...own, objective: one.name, met: said.met });
    else {
      (['true', 'false', 'unknown'] as const).forEach((met, at) =>
        tally.add('rubato_slo_gaps_total', { ...own, objective: one.name, met }, said.gaps?.[at]),
      );
    }
  }
  if (promised.length + wishes.length > 0) countGoods(tally, own, words, record.tokens.output ?? 0);
  const bucket = { ...own, prompt_bucket: record.labels.promptBucket };
  if (seen.ttft !== undefined || seen.tokenless) tally.add('rubato_demand_ttft_seconds_count', bucket);
  if (seen.ttft !== undefined && seen.ttft <= 0.8e9)
    tally.add('rubato_demand_ttft_seconds_bucket', { ...bucket, le: '0.75' }, seen.ttft <= 0.75e9 ? 1 : 0);
  if (seen.whole === 'fail' || seen.tokenless || seen.gaps.length > 0)
    tally.add('rubato_demand_gap_max_seconds_count', own);
}

function countGoods(tally: Tally, own: Record<string, string>, words: readonly Word[], tokens: number): void {
  tally.add('rubato_demand_exchanges_total', own);
  tally.add('rubato_demand_tokens_total', own, tokens);
  if (words.includes('false')) return;
  if (words.length === 0 || words.includes('unknown')) tally.add('rubato_good_unknown_total', own);
  else {
    tally.add('rubato_good_exchanges_total', own);
    tally.add('rubato_good_tokens_total', own, tokens);
  }
}
