// The class of a request by its head alone, for the admission queue: the relay reads no body, so a class that is
// told by its model or by a field of the body cannot be told here, and configuration refuses to give it turns.
import { fieldValue } from '../base/fields.ts';
import { matchesHead, pathOfTarget, type HeadRule } from '../base/head-rules.ts';
import type { ClassTurns, QueueSettings } from './admission-queue.ts';

/** Plain data, as relays are told of it. */
export interface AdmissionRules {
  /** Exchanges at one route's engine, of this relay; Infinity is no limit. */
  readonly maxRunningCount: number;
  /** Header, in lower case, whose value names the class. */
  readonly classHeader: string;
  /** In the order in which their rules are tried; the last takes what no rule matches. */
  readonly classes: readonly AdmissionClass[];
}

export interface AdmissionClass extends ClassTurns {
  readonly name: string;
  /** Any of these puts a request into the class. */
  readonly rules: readonly HeadRule[];
}

/** The name of the class; `fields`: names and values in turn, as received. */
export function classByHead(rules: AdmissionRules, target: string, fields: readonly string[]): string {
  const { classes, classHeader } = rules;
  const named = fieldValue(fields, classHeader);
  const path = pathOfTarget(target);
  const found =
    classes.find(({ name }) => name === named) ??
    classes.find((each) => each.rules.some((rule) => matchesHead(rule, fields, path))) ??
    classes.at(-1);
  return found?.name ?? '';
}

export function queueSettings({ maxRunningCount, classes }: AdmissionRules): QueueSettings {
  const byName = new Map<string, ClassTurns>(classes.map((each) => [each.name, each]));
  return { maxRunningCount, turnsOf: (className) => byName.get(className) ?? UNLIMITED };
}

/** A class that configuration has dropped while some of it are under way. */
const UNLIMITED: ClassTurns = { priority: 0, maxRunningCount: Infinity, maxWaitingCount: 0, maxWaitMs: 0 };
