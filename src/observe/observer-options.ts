// What the observer is told: once, when it is made, and of routes and terms whenever the configuration changes.
import type { Sink } from '../judge/report.ts';
import type { EngineName } from '../record/engines.ts';
import type { EngineSample } from '../record/stall-context.ts';
import type { Classifier } from './classifier.ts';
import type { ClosingOptions } from './closing.ts';
import type { PeerPairs } from './pairing/peer-pairs.ts';

/** What is decided of an exchange while it runs; each keeps to what held when it opened. */
export interface ObserverTerms {
  readonly classifier: Classifier;
  readonly promptBucketEdges: readonly number[];
  readonly outputBucketEdges: readonly number[];
}

export interface ObservedRoute {
  /** Value of the label. */
  readonly name: string;
  /** The hop it leads to; absent when it leads to an engine. */
  readonly edge?: string;
  /** What configuration says. */
  readonly engine: EngineName | undefined;
  /** The name that sources of evidence know it by; absent means its own. */
  readonly place?: string;
  /** Where it leads: exchanges of routes that lead to one place are in each other's way. Absent: only its own are. */
  readonly upstream?: string;
}

export interface ObserverOptions extends ClosingOptions, ObserverTerms {
  readonly sinks: readonly Sink[];
  /** By their numbers on the tape. */
  readonly routes: readonly ObservedRoute[];
  readonly models: readonly string[];
  /** Up to when all that happened has been told here: open exchanges are shown as they were then. */
  readonly toldUpToNs: () => number;
  /** Wall time less monotonic time now, in ms. */
  readonly wallOffsetMs: () => number;
  /** What is published by the engines that are polled; absent where none is. */
  readonly engineLooks?: EngineLooks;
  /** A rubato behind the hop that is our upstream. */
  readonly peer?: PeerPairs;
  /** Keeps what people and models wrote, for the record file. */
  readonly capturesText?: boolean;
  /** Told once a kind of fault, for the log. */
  readonly onFault: (where: string, fault: unknown) => void;
}

export interface EngineLooks {
  /** Looks at the metrics of a place's engine, the latest last. */
  samples(place: string): readonly EngineSample[];
  /** Has them looked at soon. */
  askSoon(place: string): void;
}
