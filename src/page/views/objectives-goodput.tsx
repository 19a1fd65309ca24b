// Goodput by class: what kept every promise, of all that asked for generation. Rates are of the latest minutes, so a
// report, which has none, shows counts alone.
import type { GoodputState } from '../../telemetry/goodput-memory.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import { count, figure, percent, span } from '../format.ts';

export interface GoodputProps {
  readonly classes: readonly ClassSummary[];
  readonly isWhole: boolean;
}

const RATE_GROUPS = ['exchanges a second', 'output tokens a second'];
const COUNT_GROUPS = ['exchanges', 'output tokens'];

export function GoodputTable({ classes, isWhole }: GoodputProps) {
  const rows = classes.flatMap((each) =>
    each.goodput === undefined ? [] : [{ name: each.class, goodput: each.goodput }],
  );
  if (rows.length === 0) return <p class="empty">No exchange asked for generation yet, so there is no goodput.</p>;
  const groups = isWhole ? COUNT_GROUPS : [...RATE_GROUPS, 'exchanges since the start'];
  return (
    <table class="figures">
      <caption class="sr-only">Goodput of each class</caption>
      <thead>
        <tr>
          <th rowSpan={2}>goodput</th>
          {groups.map((name) => (
            <th key={name} colSpan={3} class="group">
              {name}
            </th>
          ))}
          {isWhole ? undefined : (
            <th rowSpan={2} class="n">
              window
            </th>
          )}
        </tr>
        <tr>
          {groups.flatMap((group) =>
            ['good', 'asked for', 'share'].map((name) => (
              <th key={`${group} ${name}`} class="n">
                {name}
              </th>
            )),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, goodput }) => (
          <tr key={name} data-class={name}>
            <th scope="row">{name}</th>
            {isWhole ? undefined : <RateCells recent={goodput.window} />}
            <Triple
              good={count(goodput.sinceStart.goodExchangeCount)}
              demand={count(goodput.sinceStart.demandExchangeCount)}
              share={share(goodput.sinceStart.goodExchangeCount, goodput.sinceStart.demandExchangeCount)}
              figureName="goodput"
            />
            {isWhole ? (
              <Triple
                good={count(goodput.sinceStart.goodTokenCount)}
                demand={count(goodput.sinceStart.demandTokenCount)}
                share={share(goodput.sinceStart.goodTokenCount, goodput.sinceStart.demandTokenCount)}
                figureName="goodput.tokens"
              />
            ) : (
              <td class="n">{span(goodput.window.lengthMs)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RateCells({ recent }: { readonly recent: GoodputState['window'] }) {
  return (
    <>
      <Triple
        good={figure(recent.goodExchangesPerSecond)}
        demand={figure(recent.demandExchangesPerSecond)}
        share={share(recent.goodExchangeCount, recent.demandExchangeCount)}
        figureName="goodput.rate"
      />
      <Triple
        good={figure(recent.goodTokensPerSecond)}
        demand={figure(recent.demandTokensPerSecond)}
        share={share(recent.goodTokenCount, recent.demandTokenCount)}
        figureName="goodput.token-rate"
      />
    </>
  );
}

interface TripleProps {
  readonly good: string;
  readonly demand: string;
  readonly share: string;
  readonly figureName: string;
}

function Triple({ good, demand, share: shared, figureName }: TripleProps) {
  return (
    <>
      <td class="n" data-figure={`${figureName}.good`}>
        {good}
      </td>
      <td class="n" data-figure={`${figureName}.demand`}>
        {demand}
      </td>
      <td class="n strong" data-figure={`${figureName}.share`}>
        {shared}
      </td>
    </>
  );
}

function share(part: number, whole: number): string {
  return percent(whole === 0 ? undefined : part / whole);
}
