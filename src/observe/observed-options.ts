// What an observed exchange is given, and what it tells.
import type { FirstTokenListener } from '../measure/first-token-meter.ts';
import type { GapListener } from '../measure/gap-meter.ts';
import type { ClassSpec, ClassSubject } from './classifier.ts';
import type { ObservedExchange } from './observed-exchange.ts';

/** What an exchange tells while it runs. */
export interface ExchangeListener extends GapListener, FirstTokenListener {
  /** The first generated fragment was received: labels do not change from now on. */
  onFirstGenerated(): void;
}

export interface ObservedOptions {
  readonly id: string;
  readonly openedAtEpochMs: number;
  readonly classify: (subject: ClassSubject) => ClassSpec;
  readonly listen: (exchange: ObservedExchange) => ExchangeListener;
  /** Tells the relay that this exchange's client has gone, where the relay cannot know. */
  readonly tellClientGone: () => void;
}
