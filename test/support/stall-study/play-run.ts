// Plays one run of the study: the simulated engine, the way, and all of it to a real observer in the order of time.
// What comes back is each stall that rubato saw, with the label of the mechanics and the cause that rubato named.
import { mix32, seededRandom } from '../../../src/client/random.ts';
import { simulate, type EngineLook, type SimulatedAnswer } from '../../../src/client/reference-engine/simulate.ts';
import type { Report, Sink } from '../../../src/judge/report.ts';
import { UNJUDGED, type StallVerdict } from '../../../src/judge/causes/verdict.ts';
import type { Stall } from '../../../src/measure/figures.ts';
import { replayStream } from '../../../src/measure/replay.ts';
import { StallMeter } from '../../../src/measure/stall.ts';
import { createClassifier } from '../../../src/observe/classifier.ts';
import type { EngineSample } from '../../../src/record/stall-context.ts';
import { createStage, OPENED_AT_NS, type Play, type Stage } from '../../unit/observe/tape-play.ts';
import type { Scenario } from './scenario.ts';
import { travel, type Travelled } from './travel.ts';
import { labelOf, type GapLabel, type SeenStall } from './truth.ts';

const MS = 1_000_000;
const POLL_EVERY_NS = 1_000 * MS;
/** Where a look is asked for between two polls, it is taken at the next of such moments. */
const LOOK_SOONEST_NS = 100 * MS;
const ANSWER_NS = 2 * MS;
/** Wall time at the beginning of a run, as the stage has it. */
const BEGAN_EPOCH_MS = 1_796_000_000_000;

export interface StudiedStall {
  readonly exchange: string;
  readonly atNs: number;
  readonly gapNs: number;
  readonly label: GapLabel;
  readonly verdict: StallVerdict;
}

export interface StudiedRun {
  readonly scenario: Scenario;
  readonly stalls: readonly StudiedStall[];
  /** Gaps that were measured, stalled or not. */
  readonly gapCount: number;
  readonly taintedCount: number;
  /** Stalls that were told of with a cause, as they happened. */
  readonly toldCount: number;
  readonly reports: readonly Report[];
}

/** Something that happens to the observer at a moment. */
interface Happening {
  readonly atNs: number;
  readonly run: () => void;
}

export function playRun(scenario: Scenario): StudiedRun {
  const { model, seed, requests, untilNs } = scenario;
  const { answers, looks } = simulate({ model, seed, requests, lookEveryNs: LOOK_SOONEST_NS, untilNs });
  const samples: EngineSample[] = [];
  let isAsked = false;
  const heard = new Heard();
  const stage = createStage({
    sinks: [heard],
    classifier: createClassifier('x-traffic-class', [{ name: 'default', stallMs: scenario.stallMs, rules: [] }]),
    engineLooks: { samples: () => samples, askSoon: () => void (isAsked = true) },
  });
  const happenings: Happening[] = [];
  const travelled = new Map<string, Travelled>();
  for (const [index, answer] of answers.entries()) {
    const random = seededRandom(mix32(seed, index));
    const way = scenario.wayOf(answer.request.atNs, random);
    const own = travel(answer, way, random);
    travelled.set(idOf(index + 1), own);
    happenings.push(...happeningsOf(stage, index + 1, own, scenario));
  }
  for (const look of looks) {
    const isRegular = look.atNs % POLL_EVERY_NS === 0;
    // A page is answered a little after it was asked for.
    happenings.push({
      atNs: look.atNs + ANSWER_NS,
      run: () => {
        if (!isRegular && !isAsked) return;
        isAsked = false;
        samples.push(sampleOf(look, scenario));
      },
    });
  }
  for (const { fromNs, toNs } of scenario.pauses) {
    const entry = { startAtNs: OPENED_AT_NS + fromNs, endAtNs: OPENED_AT_NS + toNs, cause: 'gc' as const };
    // The relay tells of a pause right after it, before what it reads then.
    happenings.push({ atNs: toNs - 1, run: () => stage.handler.onPause(entry) });
  }
  happenings.sort((a, b) => a.atNs - b.atNs);
  for (const { run } of happenings) run();
  if (stage.faults.length > 0) throw new Error(`The observer had a fault: ${stage.faults[0]}`);
  return studied(scenario, heard, travelled);
}

/** What the observer told. */
class Heard implements Sink {
  readonly name = 'study';
  readonly reports: Report[] = [];
  taintedCount = 0;
  toldCount = 0;

  onTaintedGap(): void {
    this.taintedCount += 1;
  }

  onStall(): void {
    this.toldCount += 1;
  }

  onReport(report: Report): void {
    this.reports.push(report);
  }
}

function idOf(exchange: number): string {
  return `0.0-${exchange.toString(36)}`;
}

function sampleOf(look: EngineLook, { model }: Scenario): EngineSample {
  const { runningCount, waitingCount, preemptedCount, heldTokens, draftedCount, acceptedCount } = look;
  return {
    atNs: OPENED_AT_NS + look.atNs + ANSWER_NS,
    runningCount,
    waitingCount,
    preemptedCount,
    kvUsedRatio: heldTokens / (model.kvCapacityTokens ?? Infinity),
    ...(draftedCount > 0 && { draftAcceptedRatio: acceptedCount / draftedCount }),
  };
}

/** One exchange, entry by entry. Moments of the run are ns since its beginning. */
function happeningsOf(stage: Stage, number: number, travelled: Travelled, scenario: Scenario): Happening[] {
  const { answer, reads, blocked } = travelled;
  const { request } = answer;
  const openedNs = request.atNs;
  const ms = (atNs: number): number => (atNs - openedNs) / MS;
  let play: Play;
  const list: Happening[] = [{ atNs: openedNs, run: () => void (play = opened(stage, number, answer, scenario)) }];
  list.push({ atNs: openedNs + MS, run: () => void play.head(1) });
  let seq = 0;
  for (const { atNs, text, errorBoundNs } of reads) {
    const own = seq;
    seq += 1;
    const block = blocked.find(({ fromNs, toNs }) => atNs === fromNs && toNs > fromNs);
    list.push({
      atNs,
      run: () => {
        if (block === undefined) play.chunk(ms(atNs), text, { errorBoundNs });
        else
          play
            .chunk(ms(atNs), text, { errorBoundNs, queuedBytes: text.length, unflushed: true })
            .mark('blockedFrom', ms(atNs));
      },
    });
    if (block === undefined) continue;
    // Just before what waited meanwhile is read.
    list.push({
      atNs: block.toNs - 1,
      run: () => void play.flush(ms(block.toNs - 1), own).mark('blockedTo', ms(block.toNs - 1)),
    });
  }
  const endNs = Math.max(
    reads.at(-1)?.atNs ?? openedNs,
    ...blocked.map(({ toNs }) => toNs),
    answer.endAtNs ?? scenario.untilNs,
  );
  list.push({ atNs: endNs + MS / 10, run: () => play.end(ms(endNs + MS / 10)) });
  return list;
}

function opened(stage: Stage, number: number, { request }: SimulatedAnswer, { bytesPerToken }: Scenario): Play {
  const openedAtNs = OPENED_AT_NS + request.atNs;
  const play = stage.exchange(number, { openedAtNs, epochMs: BEGAN_EPOCH_MS + request.atNs / MS });
  const content = 'p'.repeat(request.promptTokens * bytesPerToken);
  play.request({ model: 'reference-small', stream: true, messages: [{ role: 'user', content }] }, 0.05);
  play.mark('connectStart', 0.1).connected(0.1, { reused: true });
  return play.mark('requestSent', 0.2);
}

function studied(scenario: Scenario, heard: Heard, travelled: ReadonlyMap<string, Travelled>): StudiedRun {
  const { reports, taintedCount, toldCount } = heard;
  const stalls = reports.flatMap((report) => {
    const own = travelled.get(report.record.id);
    if (own === undefined) throw new Error(`Nobody knows the exchange ${report.record.id}.`);
    const named = new Map((report.stalls ?? []).map((verdict) => [verdict.chunk, verdict]));
    return stallsOf(report).map(({ chunk, atNs, gapNs, ...bounds }) => {
      const seen = { readAtNs: own.answer.request.atNs + atNs, gapNs, ...bounds };
      const label = labelOf(own, seen, scenario.model.speculation !== undefined);
      if (label === undefined) throw new Error(`No event came at the end of a stall of ${report.record.id}.`);
      const verdict = named.get(chunk) ?? UNJUDGED;
      return { exchange: report.record.id, atNs, gapNs, label, verdict };
    });
  });
  const gapCount = reports.reduce((sum, { figures }) => sum + figures.gapsReceived.count, 0);
  return { scenario, stalls, gapCount, taintedCount, toldCount, reports };
}

type Bounds = Pick<SeenStall, 'thresholdNs' | 'isUsed'>;

/** All of them, where the figures keep the worst, and what each had to be longer than. */
function stallsOf({ record }: Report): (Stall & Bounds)[] {
  const { gapsNs, stalls } = replayStream(record);
  const meter = new StallMeter(record.class.stallNs);
  const bounds = gapsNs.received.flatMap((gapNs): Bounds[] => {
    const { thresholdNs, usualNs } = meter;
    return meter.add(gapNs) ? [{ thresholdNs, isUsed: usualNs !== undefined }] : [];
  });
  return stalls.map((stall, index) => ({ ...stall, ...(bounds[index] ?? { thresholdNs: NaN, isUsed: false }) }));
}
