// What each first token teaches of the cost of prompts: noted when it comes, learnt when the others' part of its step
// was read as well. Engines read prompts in the order of their coming, so one begins to be read when it is sent, or
// when the one before it is done; those whose first tokens came out of one step cannot be told apart.
import { CostBook } from './cost-book.ts';
import { type Lesson, ONE_STEP_NS, prefillCost } from './prefill-cost.ts';
import type { StepBook } from './step-book.ts';
import type { TrackedExchange } from './tracked-exchange.ts';

/** By then the others' reads of the same step have been told of. */
const LESSON_AFTER_NS = 10e6;

/** A lesson to which more exchanges of its step may come. */
interface OpenLesson extends Lesson {
  readonly exchanges: TrackedExchange[];
  beganAtNs: number;
}

export class PrefillLessons {
  readonly #costs = new CostBook();
  #pending: OpenLesson[] = [];
  #lastFirstAtNs = -1;
  /** The last first token of the step before the one that the latest came out of. */
  #stepBeforeAtNs = -1;

  /** When a prompt was read to its end for the last time; below 0 before any was. */
  get lastFirstAtNs(): number {
    return this.#lastFirstAtNs;
  }

  /** What reading so much text costs; undefined before a few were seen. */
  costOf(bytes: number): number | undefined {
    return this.#costs.costOf(bytes);
  }

  /** A first token came. */
  note(exchange: TrackedExchange, atNs: number, someoneWaits: boolean): void {
    const latest = this.#pending.at(-1);
    if (latest !== undefined && atNs - latest.firstAtNs < ONE_STEP_NS) {
      latest.exchanges.push(exchange);
      latest.beganAtNs = Math.min(latest.beganAtNs, Math.max(exchange.sentAtNs, this.#stepBeforeAtNs));
    } else {
      this.#stepBeforeAtNs = this.#lastFirstAtNs;
      const isAfterAnother = this.#lastFirstAtNs > exchange.sentAtNs;
      this.#pending.push({
        exchanges: [exchange],
        beganAtNs: Math.max(exchange.sentAtNs, this.#lastFirstAtNs),
        firstAtNs: atNs,
        shared: isAfterAnother || someoneWaits,
      });
    }
    this.#lastFirstAtNs = Math.max(this.#lastFirstAtNs, atNs);
  }

  /** Reads were told of up to that moment; once a read. */
  learn(atNs: number, running: ReadonlySet<TrackedExchange>, steps: StepBook): void {
    if (this.#pending.length === 0) return;
    this.#pending = this.#pending.filter((lesson) => {
      if (atNs < lesson.firstAtNs + LESSON_AFTER_NS) return true;
      const costNs = prefillCost(lesson, running, steps.longest(running.size));
      const bytes = lesson.exchanges.reduce((sum, { promptBytes }) => sum + promptBytes, 0);
      if (costNs !== undefined) this.#costs.add({ bytes, costNs, shared: lesson.shared });
      return false;
    });
  }
}
