// What a traffic class is: its name, its settings, and the ways into it. Plain data from the
// configuration; who decides by it stands in observe/classifier.ts.
import type { JobTerms, Objective } from './objective.ts';
import type { HeadRule } from '../base/head-rules.ts';

/** One way into a class: every condition that is present must hold. */
export interface ClassRule extends HeadRule {
  /** Model named in the request, exactly. */
  readonly model?: string;
  /** A top-level field of the request's JSON body. */
  readonly body?: { readonly field: string; readonly equals: string | number | boolean };
}

export interface ClassSpec {
  /** Value of the label `class`. */
  readonly name: string;
  /** Smallest gap that can be a stall. */
  readonly stallMs: number;
  /** Any of these puts an exchange into the class; empty when only the class header does. */
  readonly rules: readonly ClassRule[];
  /** What is promised of the class; absent where nothing is. */
  readonly objectives?: readonly Objective[];
  /** What is promised of its batch jobs; absent where nothing is. */
  readonly job?: JobTerms;
}
