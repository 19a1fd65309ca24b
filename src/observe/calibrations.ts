// The calibrated models of all routes: feeds each with the exchanges it is for, and says in the form of
// evidence what it answers. Knows exchanges and neighbours; the arithmetic stands in evidence/calibration.ts.
import { CALIBRATED_MODELS_MAX_COUNT } from '../base/limits.ts';
import { Calibration, type CalibrationAnswer } from '../evidence/calibration.ts';
import { noCalibrationCounts, type CalibrationCounts } from '../evidence/calibration-states.ts';
import { FrontTime } from '../evidence/front-time.ts';
import { PrefixMemory } from '../evidence/prefix-memory.ts';
import { PromptRatio } from '../evidence/prompt-ratio.ts';
import type { Evidence } from '../record/stream-record.ts';
import type { RequestReading } from '../stream/request-reader.ts';
import { FirstTokens } from './first-tokens.ts';
import type { EndedExchange, EstimateFacts, Estimator, FirstTokenFacts } from './late-evidence.ts';

export interface CalibrationsOptions {
  /** Requests of all clients that a route's engine ran at the last look at its metrics; undefined where they do not tell. */
  readonly running?: (route: string) => { readonly count: number; readonly ageMs: number } | undefined;
  /** How often a route's engine was seen to begin anew; any change says that it did. */
  readonly startCount?: (route: string) => number;
}

/** How things stood when the first token of an exchange came. */
interface Standing {
  /** The prompt began like no earlier one. */
  readonly fresh: boolean;
  /** The engine ran requests that had not come through here. */
  readonly strangers: boolean;
}

/** A look at the metrics that is older tells of other exchanges. */
const RUNNING_FRESH_MS = 10_000;

/** What is known of one model behind one route. */
interface Calibrated {
  readonly route: string;
  readonly calibration: Calibration;
  readonly front: FrontTime;
  readonly prefixes: PrefixMemory;
  readonly ratio: PromptRatio;
  /** Version of the engine as it last said. */
  version: string | undefined;
  /** Starts of the engine when it was last looked at. */
  startCount: number;
}

const DEFINITION =
  'prefill: what prompts of this size took when nobody else was there, less wire and HTTP front end; ' +
  'queue: the rest, waiting and contention together';

export class Calibrations implements Estimator {
  readonly #options: CalibrationsOptions;
  /** In order of their last use. */
  readonly #models = new Map<string, Calibrated>();
  readonly #firstTokens = new FirstTokens();
  readonly #standings = new WeakMap<RequestReading, Standing>();
  /** How often each answer was given. */
  readonly counts: CalibrationCounts = noCalibrationCounts();

  constructor(options: CalibrationsOptions = {}) {
    this.#options = options;
  }

  promptTokens(route: string, request: RequestReading): number | undefined {
    const { promptBytes: bytes, promptChars: chars } = request;
    if (bytes === undefined || chars === undefined) return undefined;
    return this.#models.get(keyOf(route, request.model))?.ratio.estimate({ bytes, chars })?.tokens;
  }

  onFirstToken(facts: FirstTokenFacts): void {
    const { id, route, request, sentAtNs, tokenAtNs } = facts;
    const fresh = this.#isFresh(this.#of(route, request.model), request);
    this.#standings.set(request, { fresh, strangers: this.#hasStrangers(facts) });
    if (sentAtNs === undefined) return;
    this.#firstTokens.add(route, { id, sentAtNs, tokenAtNs, tokens: this.promptTokens(route, request) });
  }

  onEnded({ route, id, endedAtNs }: EndedExchange): void {
    this.#firstTokens.end(route, id, endedAtNs);
  }

  judge(exchange: EndedExchange, facts: EstimateFacts): Evidence | undefined {
    const { subject, route } = exchange;
    if (!subject.streamed || subject.firstTokenAtNs === undefined) return undefined;
    const calibrated = this.#of(route, facts.request.model);
    this.#noteVersion(calibrated, subject.engine?.version);
    this.#noteStarts(calibrated);
    const { state, estimate } = this.#ask(calibrated, exchange, facts);
    this.counts[state] += 1;
    this.#learnRatio(calibrated, facts);
    return estimate === undefined
      ? undefined
      : { source: 'calibration', basis: 'model', definition: DEFINITION, ...estimate };
  }

  doubt(route: string): void {
    for (const calibrated of this.#models.values()) if (calibrated.route === route) calibrated.calibration.doubt();
  }

  /** What prompts cost is forgotten; how many tokens they have is the model's and stays. */
  forget(route: string): void {
    for (const calibrated of this.#models.values()) if (calibrated.route === route) calibrated.calibration.forget();
  }

  #ask(calibrated: Calibrated, exchange: EndedExchange, facts: EstimateFacts): CalibrationAnswer {
    const { calibration } = calibrated;
    const { openedAtNs, route, subject, ok } = exchange;
    const { firstTokenAtNs = 0, headReceivedAtNs, wireFloorNs = 0 } = subject;
    // An engine that answered before it had the whole request leaves nothing to measure.
    const sentAfterNs = subject.requestSentAtNs ?? firstTokenAtNs;
    const { request, tokens, company } = facts;
    const tookNs = firstTokenAtNs - sentAfterNs - wireFloorNs;
    const { fresh, strangers } = this.#standings.get(request) ?? {
      fresh: this.#isFresh(calibrated, request),
      strangers: false,
    };
    calibration.see();
    if (tokens.prompt === undefined || !(tookNs > 0)) return { state: 'unmeasured' };
    if (tokens.cached === undefined && !fresh) return { state: 'cache_unknown' };
    if (strangers) return { state: 'strangers' };
    const sentAtNs = openedAtNs + sentAfterNs;
    const tokenAtNs = openedAtNs + firstTokenAtNs;
    const neighbours = this.#firstTokens.neighboursOf(route, { id: exchange.id, sentAtNs, tokenAtNs });
    // Company is counted as the tapes are read; those of several relays are read one after the other.
    const metIdle = ok && company.atOpenCount === 0 && company.joinedCount === 0 && neighbours.length === 0;
    const headNs = headReceivedAtNs === undefined ? undefined : headReceivedAtNs - sentAfterNs - wireFloorNs;
    const { partNs, unseenNs } = calibrated.front.partOf(tookNs, headNs, metIdle);
    return calibration.judge({
      tokens: Math.max(1, tokens.prompt - (tokens.cached ?? 0)),
      tookNs: tookNs - partNs,
      unseenNs,
      metIdle,
      neighbours,
    });
  }

  /** More ran at the last look than were ours then, at most: those still open, and those that ended since. */
  #hasStrangers({ route, tokenAtNs, openCount }: FirstTokenFacts): boolean {
    const running = this.#options.running?.(route);
    if (running === undefined || running.ageMs > RUNNING_FRESH_MS) return false;
    const endedCount = this.#firstTokens.endedSince(route, tokenAtNs - running.ageMs * 1e6);
    return running.count > openCount + endedCount;
  }

  /** Whether the prompt begins like no earlier one, so that nothing of it can be in a cache of ours. Takes it in. */
  #isFresh({ prefixes }: Calibrated, { beginning }: RequestReading): boolean {
    return beginning !== undefined && prefixes.enter(beginning);
  }

  #learnRatio({ ratio }: Calibrated, { tokens, request }: EstimateFacts): void {
    const { promptBytes: bytes, promptChars: chars } = request;
    if (tokens.prompt === undefined || bytes === undefined || chars === undefined) return;
    ratio.learn({ bytes, chars }, tokens.prompt);
  }

  /** Another version is another engine. */
  #noteVersion(calibrated: Calibrated, version: string | undefined): void {
    if (version === undefined) return;
    if (calibrated.version !== undefined && calibrated.version !== version) calibrated.calibration.forget();
    calibrated.version = version;
  }

  /** An engine that began anew may run on other hardware, with other settings, and has nothing cached. */
  #noteStarts(calibrated: Calibrated): void {
    const count = this.#options.startCount?.(calibrated.route) ?? 0;
    if (count !== calibrated.startCount) calibrated.calibration.forget();
    calibrated.startCount = count;
  }

  #of(route: string, model: string | undefined): Calibrated {
    const key = keyOf(route, model);
    const calibrated = this.#models.get(key) ?? {
      route,
      calibration: new Calibration(),
      front: new FrontTime(),
      prefixes: new PrefixMemory(),
      ratio: new PromptRatio(),
      version: undefined,
      startCount: this.#options.startCount?.(route) ?? 0,
    };
    this.#models.delete(key);
    this.#models.set(key, calibrated);
    if (this.#models.size > CALIBRATED_MODELS_MAX_COUNT) {
      const [oldest] = this.#models.keys();
      if (oldest !== undefined) this.#models.delete(oldest);
    }
    return calibrated;
  }
}

function keyOf(route: string, model: string | undefined): string {
  return `${route}\n${model ?? ''}`;
}
