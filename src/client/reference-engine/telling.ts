// In which events and writes an engine tells the tokens it has computed: each step's at once, several steps'
// together, or one after another. Pure but for what it holds back; knows no text, no socket and no clock.
import type { EngineModel } from './model.ts';

/** Consecutive tokens that are written together. */
export interface Bunch {
  readonly from: number;
  readonly to: number;
  /** As one event; else each token is an event of its own. */
  readonly inOneEvent: boolean;
  /** The answer's last token is among them. */
  readonly last: boolean;
  /** Written so long after they were computed. */
  readonly delayNs: number;
}

/** The manner of a model, for one answer. */
export class Teller {
  readonly #eventTokens: number;
  readonly #told: NonNullable<EngineModel['speculation']>['told'];
  readonly #spacingNs: number;
  /** First position that has not been told. */
  #from = 1;

  constructor({ eventTokens = 1, speculation }: EngineModel) {
    this.#eventTokens = eventTokens;
    this.#told = speculation?.told ?? 'one_write';
    this.#spacingNs = speculation?.spacingNs ?? 0;
  }

  /** A step gave the tokens up to this position; says what is told of them now. */
  add(to: number, last: boolean): Bunch[] {
    const from = this.#from;
    // The first token is never held back: vLLM's `--stream-interval` begins to count behind it.
    const isHeld = this.#eventTokens > 1 && from > 1 && !last && to - from + 1 < this.#eventTokens;
    if (isHeld) return [];
    this.#from = to + 1;
    if (this.#eventTokens > 1) return [{ from, to, inOneEvent: true, last, delayNs: 0 }];
    if (this.#told !== 'writes') return [{ from, to, inOneEvent: this.#told === 'one_event', last, delayNs: 0 }];
    return Array.from({ length: to - from + 1 }, (_, nth) => {
      const position = from + nth;
      const isLast = last && position === to;
      return { from: position, to: position, inOneEvent: false, last: isLast, delayNs: nth * this.#spacingNs };
    });
  }
}
