// The figures of one benchmark as GuideLLM has them (its `GenerativeMetrics`, guidellm 0.8.1), over requests that
// ended well and over those that did not. Where it counts a figure that nobody knows as 0, it is left out here. Pure.
import {
  concurrencyOf,
  type Distribution,
  distributionOf,
  NOTHING,
  plain,
  rateOf,
  type Making,
  type Window,
} from './distribution.ts';
import { least, most } from './extremes.ts';
import { figuresOfRequest, type KeptRequest, type RequestFigures } from './request.ts';

/** A request with its figures, which several distributions want. */
interface Known extends KeptRequest {
  readonly figures: RequestFigures;
}

/** By how requests ended. Those that our own end of the run broke off are in none, so `incomplete` is empty. */
interface ByStatus {
  readonly successful: Distribution;
  readonly incomplete: Distribution;
  readonly errored: Distribution;
  readonly total: Distribution;
}

type Values = (request: Known) => number | undefined;
/** Moments at even steps behind `fromS`, the last of them at `untilS`, with as many tokens at each. */
interface Run {
  readonly fromS: number;
  readonly untilS: number;
  readonly count: number;
  readonly tokens: number;
}
type Runs = (request: Known) => readonly Run[];

const EMPTY: ByStatus = { successful: NOTHING, incomplete: NOTHING, errored: NOTHING, total: NOTHING };
/** Of what it counts besides: pictures, sounds and calls of tools are not in this load, words and letters not kept. */
const NO_AMOUNTS = Object.fromEntries(
  ['input', 'output', 'total'].flatMap((side) => ['', '_per_second', '_concurrency'].map((of) => [side + of, null])),
);

export function metricsJson(requests: readonly KeptRequest[], window: Window): object {
  const known = requests.map((request): Known => ({ ...request, figures: figuresOfRequest(request) }));
  const of = (value: Values, weight: Values = () => 1): ByStatus =>
    byStatus(known, (group) => distributionOf(weighted(group, value, weight)));
  const rate = (runs: Runs): ByStatus => byStatus(known, (group) => rateOfRuns(group.flatMap(runs), window));
  const tokens = (runs: Runs): ByStatus => byStatus(known, (group) => tokensOfRuns(group.flatMap(runs)));
  const isOpen = known.some(({ dueS }) => dueS !== undefined);
  const delay = isOpen ? of(({ figures }) => figures.dispatchDelayS) : null;
  const okCount = known.filter(({ isOk }) => isOk).length;
  return {
    request_totals: { successful: okCount, incomplete: 0, errored: known.length - okCount, total: known.length },
    requests_per_second: rate(({ endS }) => [oneMoment(endS, 1)]),
    request_concurrency: byStatus(known, (group) =>
      concurrencyOf(
        group.map(({ startS, endS }) => ({ startS, endS, amount: 1 })),
        window,
      ),
    ),
    request_latency: of(({ figures }) => figures.latencyS),
    request_dispatch_delay: delay,
    request_scheduled_latency: isOpen ? of(({ figures }) => figures.scheduledLatencyS) : null,
    // No request follows upon another, so all of the delay is this generator's.
    turn_predecessor_delay: isOpen ? of(({ dueS }) => (dueS === undefined ? undefined : 0)) : null,
    turn_scheduling_delay: delay,
    root_dispatch_delay: delay?.total ?? null,
    request_streaming_iterations_count: of(({ eventCount }) => eventCount),
    prompt_token_count: of(({ promptTokens }) => promptTokens),
    output_token_count: of(({ outputTokens }) => outputTokens),
    total_token_count: of(({ figures }) => figures.totalTokens),
    time_to_first_token_ms: of(({ figures }) => figures.ttftMs),
    time_to_first_output_token_ms: of(({ figures }) => figures.ttfoMs),
    time_per_output_token_ms: of(
      ({ figures }) => figures.timePerTokenMs,
      ({ outputTokens }) => outputTokens,
    ),
    inter_token_latency_ms: of(
      ({ figures }) => figures.interTokenMs,
      ({ outputTokens }) => (outputTokens ?? 1) - 1,
    ),
    // Of websockets, which this load does not speak.
    time_to_last_round_trip_ms: EMPTY,
    avg_round_trip_time_ms: EMPTY,
    prompt_tokens_per_second: rate(promptRuns),
    output_tokens_per_second: rate(outputRuns),
    tokens_per_second: rate((request) => [...promptRuns(request), ...outputRuns(request)]),
    output_tokens_per_iteration: tokens(outputRuns),
    iter_tokens_per_iteration: tokens(laterRuns),
    text: { ...none('words', 'characters'), tokens: tokensJson(known) },
    image: none('tokens', 'images', 'pixels', 'bytes'),
    video: none('tokens', 'frames', 'seconds', 'bytes'),
    audio: none('tokens', 'samples', 'seconds', 'bytes'),
    tool_call: none('tokens', 'mixed_tokens', 'count'),
  };
}

function none(...names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, NO_AMOUNTS]));
}

/** Tokens in and out: how many, how many a second and how many were being worked on. */
function tokensJson(known: readonly Known[]): object {
  const input: Values = ({ promptTokens }) => promptTokens;
  const output: Values = ({ outputTokens }) => outputTokens;
  const isKnown = (value: Values): boolean => known.some((request) => value(request) !== undefined);
  const side = (name: string, values: readonly Values[]): object => {
    const [count, perSecond, atOnce] = values.every(isKnown) ? tokenSpreads(known, values) : [null, null, null];
    return { [name]: count, [`${name}_per_second`]: perSecond, [`${name}_concurrency`]: atOnce };
  };
  return { ...side('input', [input]), ...side('output', [output]), ...side('total', [input, output]) };
}

/** GuideLLM lays the values of both sides side by side for the total, and does not add them up. */
function tokenSpreads(known: readonly Known[], values: readonly Values[]): ByStatus[] {
  const each = (group: readonly Known[]): { startS: number; endS: number; amount: number }[] =>
    values.flatMap((value) =>
      group.flatMap((request) => {
        const amount = value(request);
        return amount === undefined ? [] : [{ startS: request.startS, endS: request.endS, amount }];
      }),
    );
  // These go from the first end to the last, and not over the time that was measured.
  const allEndsS = known.map(({ endS }) => endS);
  const firstEndS = least(allEndsS);
  const firstStartS = least(known.map(({ startS }) => startS));
  const lastEndS = most(allEndsS);
  return [
    byStatus(known, (group) => distributionOf(plain(each(group).map(({ amount }) => amount)))),
    byStatus(known, (group) => {
      const ends = each(group);
      const tokensAt = { values: ends.map(({ endS }) => endS), weights: ends.map(({ amount }) => amount) };
      return rateOf(tokensAt, { startS: firstEndS, endS: lastEndS });
    }),
    byStatus(known, (group) => concurrencyOf(each(group), { startS: firstStartS, endS: lastEndS })),
  ];
}

function byStatus(known: readonly Known[], make: (group: readonly Known[]) => Distribution): ByStatus {
  const ok = known.filter(({ isOk }) => isOk);
  const total = make(known);
  if (ok.length === known.length) return { ...EMPTY, successful: total, total };
  return { successful: make(ok), incomplete: NOTHING, errored: make(known.filter(({ isOk }) => !isOk)), total };
}

function weighted(group: readonly Known[], value: Values, weight: Values): Making {
  const made: Making = { values: [], weights: [] };
  for (const request of group) {
    const [amount, heavy] = [value(request), weight(request)];
    if (amount === undefined || heavy === undefined) continue;
    made.values.push(amount);
    made.weights.push(heavy);
  }
  return made;
}

function rateOfRuns(runs: readonly Run[], window: Window): Distribution {
  const made: Making = { values: [], weights: [] };
  for (const { fromS, untilS, count, tokens } of runs) {
    const stepS = (untilS - fromS) / count;
    for (let step = 1; step <= count; step += 1) {
      // In the order in which numpy's `linspace` rounds: a bit more or less would put moments into other groups.
      made.values.push(step === count ? untilS : step * stepS + fromS);
      made.weights.push(tokens);
    }
  }
  return rateOf(made, window);
}

function tokensOfRuns(runs: readonly Run[]): Distribution {
  return distributionOf({ values: runs.map(({ tokens }) => tokens), weights: runs.map(({ count }) => count) });
}

function oneMoment(atS: number, tokens: number): Run {
  return { fromS: atS, untilS: atS, count: 1, tokens };
}

function promptRuns({ promptTokens, firstS, endS }: KeptRequest): Run[] {
  return promptTokens === undefined ? [] : [oneMoment(firstS ?? endS, promptTokens)];
}

/** One token with the first text, the others with the later ones. */
function outputRuns(request: KeptRequest): Run[] {
  const { outputTokens, firstS, lastS, endS, textEventCount } = request;
  if (outputTokens === undefined) return [];
  if (firstS === undefined || lastS === undefined || textEventCount <= 1)
    return [oneMoment(lastS ?? endS, outputTokens)];
  return [oneMoment(firstS, outputTokens > 0 ? 1 : 0), ...laterRuns(request)];
}

/** GuideLLM keeps no moments between the first text and the last, and spreads its tokens evenly over them. */
function laterRuns({ outputTokens, firstS, lastS, textEventCount }: KeptRequest): Run[] {
  if (outputTokens === undefined || outputTokens <= 1) return [];
  if (firstS === undefined || lastS === undefined || textEventCount <= 1) return [];
  const count = textEventCount - 1;
  return [{ fromS: firstS, untilS: lastS, count, tokens: (outputTokens - 1) / count }];
}
