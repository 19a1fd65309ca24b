// Plays scenarios by contenders in turns A B A B, after a turn each that does not count. Whoever is not there, does
// not stream or fails is left out aloud, and the others go on.
import { withinCap } from '../harness/cap.ts';
import { LightEngine } from '../harness/light-engine.ts';
import { Load } from '../harness/load.ts';
import { progress } from '../harness/report.ts';
import { startCollector, type Collector } from './collector.ts';
import type { Entrant, Running, Surroundings } from './contenders.ts';
import type { Results, Scenario, Stage, Values } from './figures.ts';
import { checkStreams } from './check-streams.ts';

const TURN_MAX_MS = 120_000;
const WARM_UP_SCALE = 0.34;

export interface Plan {
  readonly entrants: readonly Entrant[];
  readonly scenarios: readonly Scenario[];
  readonly turnCount: number;
  /** Of each turn that counts. */
  readonly scale: number;
}

export interface Played {
  readonly results: Results;
  /** Who was left out of what, and why. */
  readonly notes: readonly string[];
}

export async function playTurns(plan: Plan): Promise<Played> {
  // Whoever is stopped half-way leaves no server behind: they are ended as this process exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const engine = await LightEngine.start();
  const load = new Load(engine);
  const collector = await startCollector();
  const field = new Field(plan, load, collector);
  const results: Record<string, Readonly<Record<string, readonly Values[]>>> = {};
  try {
    await field.start();
    for (const scenario of plan.scenarios) results[scenario.letter] = await field.play(scenario);
  } finally {
    await field.stop();
    await collector.stop();
    await engine.stop();
  }
  return { results, notes: field.notes };
}

class Field {
  readonly notes: string[] = [];
  readonly #plan: Plan;
  readonly #load: Load;
  readonly #collector: Collector;
  readonly #running = new Map<string, Running>();

  constructor(plan: Plan, load: Load, collector: Collector) {
    this.#plan = plan;
    this.#load = load;
    this.#collector = collector;
  }

  get #around(): Surroundings {
    return { enginePort: this.#load.enginePort, collector: this.#collector };
  }

  async start(): Promise<void> {
    const takesAny = (each: Entrant): boolean => this.#plan.scenarios.some((scenario) => takesPart(each, scenario));
    for (const entrant of this.#plan.entrants.filter(takesAny)) {
      progress(`starting ${entrant.title}`);
      try {
        const running = await entrant.start(this.#around);
        this.#running.set(entrant.key, running);
        await checkStreams(this.#load, running);
      } catch (error) {
        await this.#leaveOut(entrant, 'of everything', error);
      }
    }
  }

  async play(scenario: Scenario): Promise<Record<string, readonly Values[]>> {
    const field = this.#plan.entrants.filter((each) => this.#running.has(each.key) && takesPart(each, scenario));
    const turns = new Map<Entrant, Values[]>(field.map((each) => [each, []]));
    for (let nth = scenario.isFresh === true ? 1 : 0; nth <= this.#plan.turnCount; nth += 1) {
      for (const [entrant, values] of turns) {
        progress(`(${scenario.letter}) turn ${nth}/${this.#plan.turnCount}: ${entrant.title}`);
        const given = await this.#tryTurn(scenario, entrant, nth === 0);
        if (given === undefined) turns.delete(entrant);
        else if (nth > 0) values.push(given);
      }
    }
    return Object.fromEntries([...turns].map(([{ key }, values]) => [key, values]));
  }

  /** Undefined when it failed; then the entrant is out. */
  async #tryTurn(scenario: Scenario, entrant: Entrant, isWarmUp: boolean): Promise<Values | undefined> {
    try {
      return await this.#turn(scenario, entrant, isWarmUp);
    } catch (error) {
      await this.#leaveOut(entrant, `of (${scenario.letter}) and what follows`, error);
      return undefined;
    }
  }

  async #turn(scenario: Scenario, entrant: Entrant, isWarmUp: boolean): Promise<Values> {
    const scale = this.#plan.scale * (isWarmUp ? WARM_UP_SCALE : 1);
    const stage: Stage = { load: this.#load, collector: this.#collector, scale };
    const kept = this.#running.get(entrant.key);
    if (kept === undefined) throw new Error('it is not running');
    if (scenario.isFresh !== true || kept.pids.length === 0) return withinTurn(scenario.play(stage, kept));
    const fresh = await entrant.start(this.#around);
    try {
      return await withinTurn(scenario.play(stage, fresh));
    } finally {
      await fresh.stop();
    }
  }

  async #leaveOut(entrant: Entrant, ofWhat: string, error: unknown): Promise<void> {
    const note = `${entrant.title} is left out ${ofWhat}: ${error instanceof Error ? error.message : String(error)}`;
    progress(`!!!!!!!! NOT MEASURED: ${note}`);
    this.notes.push(note);
    const running = this.#running.get(entrant.key);
    this.#running.delete(entrant.key);
    await running?.stop();
  }

  async stop(): Promise<void> {
    for (const running of this.#running.values()) await running.stop();
  }
}

function takesPart({ key, only }: Entrant, scenario: Scenario): boolean {
  return (only?.includes(scenario.letter) ?? true) && (scenario.only?.includes(key) ?? true);
}

/** Nothing that works takes so long. */
function withinTurn(played: Promise<Values>): Promise<Values> {
  return withinCap(played, TURN_MAX_MS, () => `took longer than ${TURN_MAX_MS / 1_000} s`);
}
