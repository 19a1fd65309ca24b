// The section of objectives: what was promised, what was kept, how much of the budget for misses is left, and the
// goodput that comes of it. Every share stands beside what it is a share of.
import type { Attainment, GoodputState, ObjectiveState } from '../../telemetry/goodput-memory.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import { BudgetBar } from '../charts/budget-bar.tsx';
import { count, figure, ms, percent, span, word } from '../format.ts';

export interface ObjectivesProps {
  readonly classes: readonly ClassSummary[];
}

const EXAMPLE = `classes:
  - name: interactive
    objectives: [{ objective: ttft, max_ms: 500, target: 0.99 }]`;

export function ObjectivesView({ classes }: ObjectivesProps) {
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
        <NothingPromised />
      ) : (
        <>
          <div class="scroll">
            <ObjectiveTable classes={promised} />
          </div>
          <div class="scroll">
            <GoodputTable classes={promised} />
          </div>
        </>
      )}
    </div>
  );
}

function NothingPromised() {
  return (
    <div class="empty">
      <p>No objectives are configured, so nothing is judged. These lines in the configuration file add one:</p>
      <pre>{EXAMPLE}</pre>
    </div>
  );
}

function ObjectiveTable({ classes }: ObjectivesProps) {
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
            recent
          </th>
          <th colSpan={2} class="group">
            since the start
          </th>
        </tr>
        <tr>
          <th class="n">kept</th>
          <th class="n">missed</th>
          <th class="n">unknown</th>
          <th>budget left</th>
          <th class="n">kept</th>
          <th class="n">of</th>
        </tr>
      </thead>
      <tbody>
        {classes.flatMap((each) =>
          each.objectives.map((objective, index) => (
            <ObjectiveRow key={`${each.class} ${index}`} name={each.class} objective={objective} />
          )),
        )}
      </tbody>
    </table>
  );
}

function ObjectiveRow({ name, objective }: { readonly name: string; readonly objective: ObjectiveState }) {
  const { window: recent, sinceStart, limitNs, targetRatio } = objective;
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
        {percent(recent.metRatio)}
      </td>
      <td class="n">{count(recent.missedCount)}</td>
      <td class="n">{count(recent.unknownCount)}</td>
      <td class="budget-cell">
        <BudgetBar leftRatio={recent.budgetLeftRatio} />
      </td>
      <td class="n">{percent(sinceStart.metRatio)}</td>
      <td class="n">{count(judgedCount(sinceStart))}</td>
    </tr>
  );
}

function judgedCount({ metCount, missedCount }: Attainment): number {
  return metCount + missedCount;
}

function GoodputTable({ classes }: ObjectivesProps) {
  const rows = classes.flatMap((each) => (each.goodput === undefined ? [] : [{ name: each.class, ...each.goodput }]));
  if (rows.length === 0) return <p class="empty">No exchange asked for generation yet, so there is no goodput.</p>;
  return (
    <table class="figures">
      <caption class="sr-only">Goodput of each class</caption>
      <thead>
        <tr>
          <th rowSpan={2}>goodput</th>
          <th colSpan={3} class="group">
            exchanges a second
          </th>
          <th colSpan={3} class="group">
            output tokens a second
          </th>
          <th colSpan={2} class="group">
            exchanges since the start
          </th>
          <th rowSpan={2} class="n">
            window
          </th>
        </tr>
        <tr>
          {['good', 'asked for', 'share', 'good', 'asked for', 'share', 'good', 'asked for'].map((name, index) => (
            <th key={index} class="n">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, ...goodput }) => (
          <GoodputRow key={name} name={name} goodput={goodput} />
        ))}
      </tbody>
    </table>
  );
}

function GoodputRow({ name, goodput }: { readonly name: string; readonly goodput: GoodputState }) {
  const { window: recent, sinceStart } = goodput;
  return (
    <tr data-class={name}>
      <th scope="row">{name}</th>
      <td class="n">{figure(recent.goodExchangesPerSecond)}</td>
      <td class="n">{figure(recent.demandExchangesPerSecond)}</td>
      <td class="n strong">{share(recent.goodExchangeCount, recent.demandExchangeCount)}</td>
      <td class="n">{figure(recent.goodTokensPerSecond)}</td>
      <td class="n">{figure(recent.demandTokensPerSecond)}</td>
      <td class="n strong">{share(recent.goodTokenCount, recent.demandTokenCount)}</td>
      <td class="n" data-figure="goodput.good">
        {count(sinceStart.goodExchangeCount)}
      </td>
      <td class="n" data-figure="goodput.demand">
        {count(sinceStart.demandExchangeCount)}
      </td>
      <td class="n">{span(recent.lengthMs)}</td>
    </tr>
  );
}

function share(part: number, whole: number): string {
  return percent(whole === 0 ? undefined : part / whole);
}
