// How far the calibrated model's queue and prefill are from what an engine really did that says nothing of
// its times: the reference engine with unsteady steps, a prefix cache and a queue, and after a while
// another one of another speed at the same address.
import { Agent } from 'node:http';
import { seededRandom } from '../../src/client/random.ts';
import type { EngineModel } from '../../src/client/reference-engine/model.ts';
import { startReferenceEngine, type ReferenceEngine } from '../../src/client/reference-engine/start.ts';
import { sendRequest } from '../../src/client/stream-client.ts';
import { startRubato, type Rubato } from './harness/contender.ts';
import { progress, report, type BenchResult, type Table, type Verdict } from './harness/report.ts';
import { percentile, short } from './harness/stats.ts';

const MS = 1_000_000;
const SEED = 20_261_129;
const LEARNING_COUNT = 30;
const ERROR_TARGET_PERCENT = 15;
const QUEUE_TARGET_NS = 20 * MS;
const AFTER_CHANGE_COUNT = 60;

/** Twice as fast as the usual model, so that the bench takes half as long. */
const MODEL: EngineModel = {
  maxRunning: 8,
  stepTokens: 512,
  stepBaseNs: 6 * MS,
  decodeNs: 150_000,
  contextNs: 50,
  prefillNs: 30_000,
  noiseRatio: 0.1,
  prefixCache: { blockTokens: 16, maxBlocks: 10_000 },
};

interface Scenario {
  readonly name: string;
  /** Arrivals a second, at times of their own. */
  readonly rate: number;
  readonly before: number;
  /** Exchanges after the engine was replaced by one so many times as fast; none without. */
  readonly after?: { readonly count: number; readonly speed: number };
  readonly model?: Partial<EngineModel>;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'quiet', rate: 2, before: 200 },
  { name: 'mixed', rate: 5, before: 350, after: { count: 200, speed: 1.5 } },
  { name: 'queue', rate: 8, before: 400, model: { maxRunning: 2 }, after: { count: 200, speed: 1 / 1.5 } },
  { name: 'overload', rate: 25, before: 300, model: { maxRunning: 2 } },
];

interface Outcome {
  readonly index: number;
  readonly idle: boolean;
  readonly said:
    | { readonly queueNs: number | undefined; readonly prefillNs: number; readonly errorNs: number }
    | undefined;
  readonly queueNs: number;
  readonly prefillNs: number;
  readonly exact: boolean;
}

function faster(model: EngineModel, speed: number): EngineModel {
  const { stepBaseNs, decodeNs, contextNs, prefillNs } = model;
  const scaled = Object.entries({ stepBaseNs, decodeNs, contextNs, prefillNs }).map(
    ([name, ns]) => [name, Math.round(ns / speed)] as const,
  );
  return { ...model, ...Object.fromEntries(scaled) };
}

const random = seededRandom(SEED);
const words = (chars: number): string => {
  let text = '';
  while (text.length < chars) text += `${Math.floor(random() * 1e9).toString(36)} `;
  return text.slice(0, chars);
};
const systemPrompts = [400, 1_200, 3_000, 6_000].map(words);

/** Prompts of 50 to 3,000 tokens, some of which begin like earlier ones. */
function bodyOf(): string {
  const system = random() < 0.4 ? systemPrompts[Math.floor(random() * systemPrompts.length)] : undefined;
  const messages = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: words(Math.round(200 * 60 ** random())) },
  ];
  const max_tokens = 4 + Math.floor(random() * 20);
  return JSON.stringify({ model: 'm', stream: true, stream_options: { include_usage: true }, max_tokens, messages });
}

interface Played {
  readonly outcomes: readonly Outcome[];
  /** What the calibration said of itself, by reason. */
  readonly answers: Readonly<Record<string, number>>;
}

async function playScenario(scenario: Scenario): Promise<Played> {
  const model = { ...MODEL, ...scenario.model };
  let engine: ReferenceEngine = await startReferenceEngine({ seed: SEED, model, models: ['m'] });
  const { port } = engine;
  const rubato = await startRubato('rubato', { enginePort: port });
  const agent = new Agent({ keepAlive: true });
  const played: { id: string; engine: ReferenceEngine }[] = [];
  const send = async (count: number): Promise<void> => {
    const open: Promise<unknown>[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      await new Promise((resolve) => setTimeout(resolve, (-Math.log(1 - random()) * 1_000) / scenario.rate));
      const id = `${scenario.name}-${played.length}`;
      played.push({ id, engine });
      const headers = { 'x-request-id': id };
      const url = `http://127.0.0.1:${rubato.port}/v1/chat/completions`;
      open.push(sendRequest({ url, headers, body: bodyOf(), agent }));
    }
    await Promise.all(open);
  };
  await send(scenario.before);
  if (scenario.after !== undefined) {
    const { count, speed } = scenario.after;
    const old = engine;
    await old.close();
    engine = await startReferenceEngine({ seed: SEED + 1, port, model: faster(model, speed), models: ['m'] });
    await send(count);
  }
  const outcomes = await outcomesOf(rubato, played);
  const samples = await rubato.sidecar.metrics();
  const answers = samples.filter(({ name, value }) => name === 'rubato_self_calibrations_total' && value > 0);
  agent.destroy();
  await rubato.stop();
  await engine.close();
  return {
    outcomes,
    answers: Object.fromEntries(answers.map(({ labels, value }) => [labels['reason'] ?? '', value])),
  };
}

async function outcomesOf(
  rubato: Rubato,
  played: readonly { id: string; engine: ReferenceEngine }[],
): Promise<Outcome[]> {
  const entries = await rubato.sidecar.untilRecords(played.length);
  const byResponse = new Map(entries.map((entry) => [entry.record.answer.responseId, entry]));
  const spans = played.map(({ id, engine }) => {
    const truth = engine.truth(id);
    return { sent: truth?.submittedAtNs ?? 0, token: truth?.tokenAtNs[0] ?? 0, truth, id };
  });
  return spans.flatMap(({ truth, id, sent, token }, index) => {
    const entry = byResponse.get(`chatcmpl-${id}`);
    if (truth?.prefillAtNs === undefined || entry === undefined || entry.figures.split === undefined) return [];
    const said = entry.record.evidence.find(({ source }) => source === 'calibration');
    const { queueNs = 0, prefillNs = 0, networkNs, rubatoNs, otherNs = 0, engineNs = 0 } = entry.figures.split;
    const endOf = (other: (typeof spans)[number]): number => other.truth?.endAtNs ?? 0;
    return [
      {
        index,
        idle: !spans.some((other) => other.id !== id && other.sent < token && endOf(other) > sent),
        said:
          said?.prefillNs === undefined
            ? undefined
            : { queueNs: said.queueNs, prefillNs: said.prefillNs, errorNs: said.errorNs ?? 0 },
        queueNs: truth.prefillAtNs - sent,
        prefillNs: token - truth.prefillAtNs,
        exact: queueNs + prefillNs + networkNs + rubatoNs + otherNs + engineNs === entry.figures.ttftNs,
      },
    ];
  });
}

function shareText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

/** Error of a queue as a share of what is allowed: 20 ms or 15 % of it, whichever is more. */
function queueMiss(saidNs: number, wasNs: number): number {
  return Math.abs(saidNs - wasNs) / Math.max(QUEUE_TARGET_NS, (ERROR_TARGET_PERCENT / 100) * wasNs);
}

function judge(
  scenario: Scenario,
  { outcomes, answers }: Played,
): { row: string[]; verdicts: Verdict[]; figures: object } {
  const told = outcomes.flatMap(({ said, ...truth }) => (said === undefined ? [] : [{ said, ...truth }]));
  const misses = told.map(({ said, prefillNs }) => 100 * Math.abs(said.prefillNs / prefillNs - 1));
  const queues = told.flatMap(({ said, queueNs }) =>
    said.queueNs === undefined ? [] : [queueMiss(said.queueNs, queueNs)],
  );
  const wrong = told.filter(
    ({ said, prefillNs }) => Math.abs(said.prefillNs / prefillNs - 1) > ERROR_TARGET_PERCENT / 100,
  );
  const changedAt = scenario.before;
  const inChange = ({ index }: Outcome): boolean =>
    scenario.after !== undefined && index >= changedAt && index < changedAt + AFTER_CHANGE_COUNT;
  const figures = {
    name: scenario.name,
    count: outcomes.length,
    idleShare: outcomes.filter(({ idle }) => idle).length / outcomes.length,
    queuedP50Ms: percentile(
      outcomes.map(({ queueNs }) => queueNs / MS),
      50,
    ),
    queuedP90Ms: percentile(
      outcomes.map(({ queueNs }) => queueNs / MS),
      90,
    ),
    toldCount: told.length,
    prefillMissP50: percentile(misses, 50),
    prefillMissP90: percentile(misses, 90),
    queueMissP90: percentile(queues, 90),
    queueToldCount: queues.length,
    inBandCount: told.filter(({ said, prefillNs }) => Math.abs(said.prefillNs - prefillNs) <= said.errorNs).length,
    earlyCount: told.filter(({ index }) => index < LEARNING_COUNT).length,
    afterChange: { told: told.filter(inChange).length, wrong: wrong.filter(inChange).length },
    answers,
    unevenCount: outcomes.filter(({ exact }) => !exact).length,
  };
  const row = [
    scenario.name,
    shareText(figures.idleShare * 100, 100),
    `${short(figures.queuedP50Ms)} / ${short(figures.queuedP90Ms)}`,
    shareText(figures.toldCount, figures.count),
    `${short(figures.prefillMissP50)} / ${short(figures.prefillMissP90)}`,
    short(figures.queueMissP90),
    shareText(figures.inBandCount, figures.toldCount),
    scenario.after === undefined ? '–' : `${figures.afterChange.told}, ${figures.afterChange.wrong} wrong`,
  ];
  const none = told.length === 0;
  const verdicts = [
    {
      what: `${scenario.name}: prefill p90`,
      value: none ? 0 : figures.prefillMissP90,
      target: ERROR_TARGET_PERCENT,
      unit: '%',
    },
    {
      what: `${scenario.name}: queue p90 over what is allowed`,
      value: none ? 0 : figures.queueMissP90,
      target: 1,
      unit: '×',
    },
    {
      what: `${scenario.name}: estimates among the first ${LEARNING_COUNT}`,
      value: figures.earlyCount,
      target: 0,
      unit: '',
    },
    { what: `${scenario.name}: sums that are not exact`, value: figures.unevenCount, target: 0, unit: '' },
  ];
  return { row, verdicts, figures };
}

async function run(): Promise<BenchResult> {
  const asked = process.argv.slice(2);
  const judged: ReturnType<typeof judge>[] = [];
  for (const scenario of SCENARIOS) {
    if (asked.length > 0 && !asked.includes(scenario.name)) continue;
    progress(`calibration: ${scenario.name}`);
    judged.push(judge(scenario, await playScenario(scenario)));
  }
  const table: Table = {
    title: 'Estimates beside what the engine did',
    head: [
      'scenario',
      'met it idle',
      'queue p50 / p90, ms',
      'estimated',
      'prefill off by p50 / p90, %',
      'queue p90, × allowed',
      'within own band',
      `told of the ${AFTER_CHANGE_COUNT} after a change`,
    ],
    rows: judged.map(({ row }) => row),
  };
  return {
    name: 'calibration',
    tables: [table],
    verdicts: judged.flatMap(({ verdicts }) => verdicts),
    figures: judged.map(({ figures }) => figures),
  };
}

await report(run);
