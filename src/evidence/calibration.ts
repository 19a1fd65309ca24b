// Estimates queue and prefill where an engine says nothing, from what it took for prompts of this size
// when nobody else was there. One calibration is for one model behind one route.
//
//   sent ─────────────── took ───────────────► first token
//        ── queue: the rest ──│── prefill: the envelope ──
//
// Gives no estimate unless it has reason to trust it, and says which reason it lacks. A state machine
// over exchanges in the order of their ends: no clock, no chance, no wire.
import {
  CALIBRATION_SEEN_LEAST_COUNT as SEEN_LEAST_COUNT,
  CALIBRATION_IDLE_LEAST_COUNT as IDLE_LEAST_COUNT,
} from '../base/limits.ts';
import type { CalibrationState } from './calibration-states.ts';
import { Confirmation } from './confirmation.ts';
import { DriftWatch, type DriftState } from './drift-watch.ts';
import { Envelope, type EnvelopePoint } from './envelope.ts';
import type { Sample } from './prefill-shape.ts';
import { SampleWindow } from './sample-window.ts';

/** An exchange whose size and time are known. */
export interface MeasuredExchange {
  /** Prompt tokens that the engine had to compute. */
  readonly tokens: number;
  /** Request sent → first token received, less the least time on the wire. */
  readonly tookNs: number;
  /** How much of that may be the way through an HTTP front end that nothing tells of; absent: nothing. */
  readonly unseenNs?: number;
  /** No other exchange was under way at its start, and none joined before its first token. */
  readonly metIdle: boolean;
  /** Others who were without a first token at some time between this one's sending and its own first token. */
  readonly neighbours: readonly Neighbour[];
}

/** Another exchange, as far as it could have been in the way. */
export interface Neighbour {
  /** When its first token came, in ns after the first token of the exchange it is a neighbour of. */
  readonly tokenAfterNs: number;
  /** Prompt tokens, as far as they are known or estimated. */
  readonly tokens: number | undefined;
}

export interface PrefillEstimate {
  readonly prefillNs: number;
  /** Absent when it is too small beside the estimate's own error to be told from none. */
  readonly queueNs?: number;
  /** Nine of ten estimates of this kind are off by at most this. */
  readonly errorNs: number;
}

export interface CalibrationAnswer {
  readonly state: CalibrationState;
  readonly estimate?: PrefillEstimate;
}

/** Exchanges after which an engine that was hardly ever idle is said to be never so. */
const NEVER_IDLE_AFTER_COUNT = 200;
/** An estimate whose error is a larger share of it is none. */
const ERROR_MAX_RATIO = 0.15;
/** For one that met an idle engine its own time is the estimate; this is about knowing that it waited for nobody. */
const IDLE_ERROR_MAX_RATIO = 0.3;
/** An estimate of which a larger share may be something else that nobody can see is none. */
const UNSEEN_MAX_RATIO = 0.1;
/** A queue is told when its error is at most this long or at most this share of it. */
const QUEUE_ERROR_FREE_NS = 20_000_000;
const QUEUE_ERROR_MAX_RATIO = 0.15;
/** Nine of ten normal values lie within so many standard deviations. */
const NINTH_DECILE_DEVIATIONS = 1.645;
/** No engine is steadier than this; a smaller spread in the samples is luck. */
const DEVIATION_LEAST_RATIO = 0.02;
/** Within so many standard deviations an exchange came near the envelope. */
const NEAR_DEVIATIONS = 2.5;
/**
 * Another's prefill that ended within so many lengths of ours before our end, or within one of its own after
 * it, may have had steps in common with ours; then nobody can tell from outside how long either would have taken.
 */
const SHARED_BEFORE_RATIO = 1.4;
/** A suspicion that so many idle exchanges neither lift nor confirm shows that what was learnt does not hold. */
const HELD_MAX_COUNT = 24;
/** A fit is made anew when so large a part of its samples is new. */
const REFIT_PART = 16;

export class Calibration {
  readonly #samples = new SampleWindow();
  readonly #drift = new DriftWatch();
  readonly #confirmation = new Confirmation();
  /** Idle exchanges under suspicion: of the old speed or the first of a new one. */
  #held: Sample[] = [];
  #envelope: Envelope | undefined;
  #newCount = 0;
  #seenCount = 0;
  /** Something had been learnt before and was forgotten. */
  #anew = false;

  /** Told once of each exchange that had a first token, also of those whose size or time is not known. */
  see(): void {
    this.#seenCount += 1;
  }

  /** Estimates first, from earlier exchanges alone; then learns from this one. */
  judge(exchange: MeasuredExchange): CalibrationAnswer {
    const untaught = this.#untaught();
    const point = untaught === undefined ? this.#fitted().at(exchange.tokens) : undefined;
    if (point === undefined) {
      if (exchange.metIdle) this.#learn(exchange);
      return { state: untaught ?? 'out_of_range' };
    }
    return this.#compare(exchange, point);
  }

  /** The engine may be another one now: nothing is estimated until an idle exchange agrees. */
  doubt(): void {
    this.#drift.doubt();
  }

  /** The engine is another one now. */
  forget(): void {
    this.#samples.clear();
    this.#drift.reset();
    this.#confirmation.reset();
    this.#held = [];
    this.#envelope = undefined;
    this.#newCount = 0;
    this.#seenCount = 0;
    this.#anew = true;
  }

  #untaught(): CalibrationState | undefined {
    const enough = this.#seenCount > SEEN_LEAST_COUNT && this.#samples.count >= IDLE_LEAST_COUNT;
    if (enough) return undefined;
    if (this.#anew) return 'relearning';
    const idleMissing = this.#samples.count < IDLE_LEAST_COUNT && this.#seenCount > NEVER_IDLE_AFTER_COUNT;
    return idleMissing ? 'never_idle' : 'learning';
  }

  #compare(exchange: MeasuredExchange, point: EnvelopePoint): CalibrationAnswer {
    const { tookNs, metIdle, unseenNs = 0 } = exchange;
    const deviation = Math.max(point.errorRatio / NINTH_DECILE_DEVIATIONS, DEVIATION_LEAST_RATIO);
    const deviations = (tookNs / point.prefillNs - 1) / deviation;
    const drift = metIdle ? this.#drift.onIdle(deviations) : this.#drift.onBusy(deviations);
    this.#confirmation.onExchange(Math.abs(deviations) <= NEAR_DEVIATIONS);
    if (metIdle) this.#hold(exchange, drift);
    if (drift === 'drifted' || this.#held.length >= HELD_MAX_COUNT) {
      this.#restart();
      return { state: 'relearning' };
    }
    if (drift === 'suspect') return { state: 'suspect' };
    if (this.#confirmation.lapsed) return { state: 'unconfirmed' };
    if (this.#sharesSteps(exchange, point)) return { state: 'contended' };
    const near = deviations <= NEAR_DEVIATIONS;
    if (unseenNs > UNSEEN_MAX_RATIO * point.prefillNs) return { state: 'unsteady' };
    if (point.errorRatio > (metIdle && near ? IDLE_ERROR_MAX_RATIO : ERROR_MAX_RATIO)) return { state: 'unsteady' };
    return { state: 'estimated', estimate: estimateOf(exchange, point, deviations) };
  }

  #sharesSteps({ neighbours, metIdle }: MeasuredExchange, { prefillNs }: EnvelopePoint): boolean {
    if (metIdle) return false;
    return neighbours.some(({ tokenAfterNs, tokens }) => {
      if (tokenAfterNs <= 0) return tokenAfterNs > -SHARED_BEFORE_RATIO * prefillNs;
      const itsNs = tokens === undefined ? undefined : this.#fitted().at(tokens)?.prefillNs;
      return tokenAfterNs < Math.max(prefillNs, itsNs ?? 0);
    });
  }

  /** Under suspicion nothing is learnt; when it has passed, all of it is. */
  #hold({ tokens, tookNs }: MeasuredExchange, drift: DriftState): void {
    this.#held.push({ tokens, tookNs });
    if (drift !== 'steady') return;
    for (const sample of this.#held) this.#learn(sample);
    this.#held = [];
  }

  #restart(): void {
    const held = this.#held;
    this.forget();
    // These are the first of the new speed.
    for (const sample of held) this.#learn(sample);
  }

  #learn({ tokens, tookNs }: Sample): void {
    this.#samples.add({ tokens, tookNs });
    this.#newCount += 1;
  }

  #fitted(): Envelope {
    if (this.#envelope === undefined || this.#newCount * REFIT_PART > this.#samples.count) {
      this.#envelope = new Envelope(this.#samples.all());
      this.#newCount = 0;
    }
    return this.#envelope;
  }
}

function estimateOf(exchange: MeasuredExchange, point: EnvelopePoint, deviations: number): PrefillEstimate {
  const { tookNs, metIdle, unseenNs = 0 } = exchange;
  const errorNs = Math.round(point.prefillNs * point.errorRatio) + unseenNs;
  // Nobody was in its way, so what little it differs is the engine's own unsteadiness and not a wait.
  if (metIdle && deviations <= NEAR_DEVIATIONS) return { prefillNs: tookNs, queueNs: 0, errorNs };
  const prefillNs = Math.min(point.prefillNs, tookNs);
  const queueNs = tookNs - prefillNs;
  const told = errorNs <= Math.max(QUEUE_ERROR_FREE_NS, QUEUE_ERROR_MAX_RATIO * queueNs);
  return { prefillNs, ...(told ? { queueNs } : {}), errorNs };
}
