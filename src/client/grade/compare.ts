// One case both ways: what the gateway did to the answer beside taking time. The direct run of the same call is
// what it is held to. Pure.
import { fieldValue } from '../../base/fields.ts';
import type { AnswerFacts } from '../../record/stream-record.ts';
import type { GradeCase } from './cases.ts';
import type { Run } from './drive.ts';
import { figuresOf, type RunFigures } from './figures.ts';
import type { Mark } from './marks.ts';

/** Closed set. */
export const GRADE_CHANGES = {
  no_answer: 'the engine’s answer did not come out',
  status_changed: 'the status is another one',
  text_changed: 'the text that came out is not the text that went in',
  terminal_lost: 'the end mark did not come out',
  error_lost: 'the error in the stream did not come out',
  cut_hidden: 'a broken answer came out as a whole one',
  cut_added: 'a whole answer came out broken',
  never_ended: 'the answer never ended for the client',
  abort_not_passed: 'the engine was not told that the client had left',
  retried: 'the engine was asked more than once',
  comments_lost: 'keep-alive comments did not come out',
  comments_added: 'comments were added',
  line_ends_changed: 'line ends are other ones',
  events_changed: 'the number of events with text is another one',
  body_rewritten: 'the body is not the engine’s, byte for byte',
  coding_added: 'a content coding was put on',
} as const;
export type GradeChange = keyof typeof GRADE_CHANGES;

/** Time in ms since the request was sent, and code points of text. */
export type Curve = readonly (readonly [atMs: number, chars: number])[];

export interface CaseCard {
  readonly name: string;
  readonly title: string;
  readonly direct: RunFigures;
  readonly through: RunFigures;
  readonly changes: readonly GradeChange[];
  /** Names of head fields: lost `-`, added `+`, altered `~`. */
  readonly headChanges: readonly string[];
  readonly curves: { readonly engine: Curve; readonly direct: Curve; readonly through: Curve };
}

const NS_PER_MS = 1e6;
/** Fields that name this moment or this request are others each time. */
const OF_THE_MOMENT = new Set(['date', 'x-request-id', 'age']);

export function cardOf({ name, title, leaveAfterMs }: GradeCase, direct: Run, through: Run): CaseCard {
  const left = leaveAfterMs !== undefined;
  return {
    name,
    title,
    direct: figuresOf(direct),
    through: figuresOf(through),
    changes: left ? changesOfLeaving(direct, through) : changesOf(direct, through),
    headChanges: through.status === undefined ? [] : headChangesOf(direct.fields, through.fields),
    curves: {
      engine: curveOf(through.engine.marks, through.sentAtNs),
      direct: curveOf(direct.client.marks, direct.sentAtNs),
      through: curveOf(through.client.marks, through.sentAtNs),
    },
  };
}

function changesOfLeaving(direct: Run, through: Run): GradeChange[] {
  const changes: GradeChange[] = [];
  if (direct.goneAtNs !== undefined && through.goneAtNs === undefined) changes.push('abort_not_passed');
  if (through.attemptCount > 1) changes.push('retried');
  return changes;
}

function changesOf(direct: Run, through: Run): GradeChange[] {
  if (through.status === undefined || through.attemptCount === 0) return ['no_answer'];
  const is: Partial<Record<GradeChange, boolean>> = {
    status_changed: direct.status !== through.status,
    text_changed: direct.client.text !== through.client.text,
    cut_hidden: direct.end === 'cut' && through.end === 'complete',
    cut_added: direct.end === 'complete' && (through.end === 'cut' || through.end === 'failed'),
    never_ended: through.end === 'left',
    retried: through.attemptCount > 1,
    coding_added: hasCoding(through) && !hasCoding(direct),
    ...bodyChanges(direct, through),
  };
  return (Object.keys(GRADE_CHANGES) as GradeChange[]).filter((change) => is[change] === true);
}

function bodyChanges(direct: Run, through: Run): Partial<Record<GradeChange, boolean>> {
  const [before, after] = [direct.body ?? '', through.body];
  // What cannot be read cannot be said to have changed, but for its text, which is compared above.
  if (after === undefined) return {};
  const [factsBefore, factsAfter] = [direct.client.facts, through.client.facts];
  const [commentsBefore, commentsAfter] = [commentCount(before), commentCount(after)];
  return {
    terminal_lost: factsBefore.endMark && !factsAfter.endMark,
    error_lost: factsBefore.errorType !== undefined && factsAfter.errorType === undefined,
    comments_lost: commentsAfter < commentsBefore,
    comments_added: commentsAfter > commentsBefore,
    line_ends_changed: before.includes('\r\n') && !after.includes('\r\n'),
    events_changed: textEventCount(factsBefore) !== textEventCount(factsAfter),
    body_rewritten: before !== after,
  };
}

function textEventCount({ eventCounts }: AnswerFacts): number {
  return (eventCounts.content ?? 0) + (eventCounts.tool ?? 0);
}

function commentCount(body: string): number {
  return body.match(/^:/gm)?.length ?? 0;
}

function hasCoding({ fields }: Run): boolean {
  return fieldValue(fields, 'content-encoding') !== undefined;
}

function headChangesOf(before: readonly string[], after: readonly string[]): string[] {
  const [was, is] = [fieldMap(before), fieldMap(after)];
  const lost = [...was.keys()].filter((name) => !is.has(name)).map((name) => `-${name}`);
  const added = [...is.keys()].filter((name) => !was.has(name)).map((name) => `+${name}`);
  const altered = [...is].filter(
    ([name, value]) => was.has(name) && was.get(name) !== value && !OF_THE_MOMENT.has(name),
  );
  return [...lost, ...added, ...altered.map(([name]) => `~${name}`)];
}

function fieldMap(fields: readonly string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let index = 0; index < fields.length; index += 2) {
    map.set((fields[index] ?? '').toLowerCase(), fields[index + 1] ?? '');
  }
  return map;
}

function curveOf(marks: readonly Mark[], sentAtNs: number): Curve {
  return marks.map(({ atNs, chars }) => [Math.round((atNs - sentAtNs) / 1e4) / (NS_PER_MS / 1e4), chars] as const);
}
