// What a run of `rubato load` is told: where, what, when and for how long. Plain data, checked by who reads flags.
import type { ClassSpec } from '../../record/traffic-class.ts';
import type { Target } from '../probe/apis.ts';
import type { Ask } from '../probe/ask.ts';
import type { LoadClass, Schedule } from './plan.ts';
import type { LoadExchange } from './result.ts';

export interface LoadOptions {
  readonly target: Target;
  readonly model: string;
  readonly key: string | undefined;
  /** Fields of the user's own; they win. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields of the body beside those of the API; they win. */
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly tls: Ask['tls'];
  /** Longest wait for anything to come. */
  readonly silenceMaxMs: number;
  /** Sent → given up; absent: as long as anything comes. */
  readonly requestMaxMs: number | undefined;
  /** Each request on a connection of its own, whose handshakes then count. */
  readonly fresh: boolean;
  readonly classes: readonly LoadClass[];
  readonly classHeader: string;
  /** What is promised of classes, by their names. */
  readonly specs: ReadonlyMap<string, ClassSpec>;
  readonly schedule: Schedule;
  /** In words, for the page and the files. */
  readonly scheduleText: string;
  /** Most requests under way at once; in a closed loop exactly so many. */
  readonly concurrency: number;
  /** What is sent in it is not counted. */
  readonly warmupMs: number;
  /** Requests are due so long, behind the warm-up. */
  readonly durationMs: number;
  /** No more than so many are counted. */
  readonly count: number | undefined;
  /** Last one due → those still open are given up. */
  readonly drainMs: number;
  readonly seed: number;
  /** Requests carry ids by which another rubato finds them. */
  readonly withIds: boolean;
  /** Ends the run; what is open then is in no figure. */
  readonly signal: AbortSignal;
  readonly listener: LoadListener;
}

export interface LoadListener {
  /** An exchange that counts is over. */
  onExchange?(exchange: LoadExchange): void;
  /** How things stand, after each start and end. */
  onProgress?(progress: LoadProgress): void;
}

export interface LoadProgress {
  readonly warmingUp: boolean;
  readonly sentCount: number;
  readonly openCount: number;
  readonly endedCount: number;
  readonly failedCount: number;
  /** Of all tokens that came so far, warm-up included. */
  readonly textEventCount: number;
  /** Requests are no longer begun. */
  readonly draining: boolean;
}
