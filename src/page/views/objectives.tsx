// The section of objectives: what was promised, what was kept, and how much of the budget for misses is left. Every
// share stands beside what it is a share of.
import type { Attainment, ObjectiveState } from '../../telemetry/goodput-memory.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import { BudgetBar } from '../charts/budget-bar.tsx';
import { count, ms, percent, word } from '../format.ts';
import { GoodputTable } from './objectives-goodput.tsx';

export interface ObjectivesProps {
  readonly classes: readonly ClassSummary[];
  /** The recorded time as a whole, as in a report, where nothing is recent. */
  readonly isWhole?: boolean;
}

const EXAMPLE = `classes:
  - name: interactive
    objectives: [{ objective: ttft, max_ms: 500, target: 0.99 }]`;

export function ObjectivesView({ classes, isWhole = false }: ObjectivesProps) {
  const warned = classes.flatMap((each) => each.warnings.map((text) => ({ name: each.class, text })));
  const promised = classes.filter((each) => each.objectives.length > 0);
  return (
    <div class="objectives">
      {warned.map(({ name, text }) => (
        <p key={`${name} ${text}`} class="warning">
          <b>{name}:</b> {text}
        </p>
      ))}
      {promised.length === 0 ? (
        <NothingPromised isWhole={isWhole} />
      ) : (
        <>
          <div class="scroll">
            <ObjectiveTable classes={promised} isWhole={isWhole} />
          </div>
          <div class="scroll">
            <GoodputTable classes={promised} isWhole={isWhole} />
          </div>
        </>
      )}
    </div>
  );
}

function NothingPromised({ isWhole }: { readonly isWhole: boolean }) {
  return (
    <div class="empty">
      <p>
        {isWhole ? 'No objectives were configured when this was recorded' : 'No objectives are configured'}, so nothing
        is judged. These lines in the configuration file add one:
      </p>
      <pre>{EXAMPLE}</pre>
    </div>
  );
}

function ObjectiveTable({ classes, isWhole = false }: ObjectivesProps) {
  return (
    <table class="figures">
      <caption class="sr-only">Objectives of each class</caption>
      <thead>
        <tr>
          <th rowSpan={2}>class</th>
          <th rowSpan={2}>objective</th>
          <th rowSpan={2} class="n">
            limit
          </th>
          <th rowSpan={2} class="n">
            target
          </th>
          <th colSpan={4} class="group">
            {isWhole ? 'in the recorded time' : 'recent'}
          </th>
          {isWhole ? undefined : (
            <th colSpan={2} class="group">
              since the start
            </th>
          )}
        </tr>
        <tr>
          <th class="n">kept</th>
          <th class="n">missed</th>
          <th class="n">unknown</th>
          <th>budget left</th>
          {isWhole ? undefined : <th class="n">kept</th>}
          {isWhole ? undefined : <th class="n">of</th>}
        </tr>
      </thead>
      <tbody>
        {classes.flatMap((each) =>
          each.objectives.map((objective, index) => (
            <ObjectiveRow key={`${each.class} ${index}`} name={each.class} objective={objective} isWhole={isWhole} />
          )),
        )}
      </tbody>
    </table>
  );
}

interface ObjectiveRowProps {
  readonly name: string;
  readonly objective: ObjectiveState;
  readonly isWhole: boolean;
}

function ObjectiveRow({ name, objective, isWhole }: ObjectiveRowProps) {
  const { sinceStart, limitNs, targetRatio } = objective;
  const { metRatio, missedCount, unknownCount, budgetLeftRatio } = isWhole ? sinceStart : objective.window;
  return (
    <tr data-class={name} data-objective={objective.objective}>
      <th scope="row">{name}</th>
      <td>
        {word(objective.objective)}
        {objective.of === 'gaps' ? <small> of gaps</small> : undefined}
      </td>
      <td class="n">{ms(limitNs)}</td>
      <td class="n">{percent(targetRatio)}</td>
      <td class="n" data-figure="objective.kept">
        {percent(metRatio)}
      </td>
      <td class="n">{count(missedCount)}</td>
      <td class="n">{count(unknownCount)}</td>
      <td class="budget-cell">
        <BudgetBar leftRatio={budgetLeftRatio} />
      </td>
      {isWhole ? undefined : <td class="n">{percent(sinceStart.metRatio)}</td>}
      {isWhole ? undefined : <td class="n">{count(judgedCount(sinceStart))}</td>}
    </tr>
  );
}

function judgedCount({ metCount, missedCount }: Attainment): number {
  return metCount + missedCount;
}
