// The TTFT of one class in its parts: of the very exchange at each percentile, so that the parts sum to what is
// shown. Percentiles of parts would be of different exchanges and sum to nothing.
import type { ClassSummary } from '../../telemetry/summary.ts';
import type { BasisCounts, TtftExchange } from '../../telemetry/ttft-memory.ts';
import { ExchangeLink } from '../charts/exchange-link.tsx';
import { PartBar, PartSwatch } from '../charts/part-bar.tsx';
import { PART_MEANING, PART_ORDER, type PartLength } from '../charts/parts.ts';
import { count, counted, late, msNumber, percent, UNKNOWN } from '../format.ts';

const PERCENTS = ['p50', 'p95', 'p99'] as const;
type Percent = (typeof PERCENTS)[number];

export interface ClassTtftProps {
  readonly summary: ClassSummary;
  /** Columns of the table: those of all classes, so that they stand beneath each other. */
  readonly shown: readonly PartLength['part'][];
}

/** The parts that any of these classes knows, in the order of the bar. */
export function partsShown(classes: readonly ClassSummary[]): PartLength['part'][] {
  const points = classes.flatMap(({ ttftAt }) => PERCENTS.flatMap((at) => ttftAt?.[at] ?? []));
  return PART_ORDER.filter((part) => points.some(({ parts }) => parts.some((each) => each.part === part)));
}

export function ClassTtft({ summary, shown }: ClassTtftProps) {
  const { ttftAt, ttft } = summary;
  const points = PERCENTS.flatMap((at) => {
    const point = ttftAt?.[at];
    return point === undefined ? [] : [{ at, point }];
  });
  if (ttft === undefined || points.length === 0) {
    return (
      <section class="ttft" data-class={summary.class}>
        <h3>{summary.class}</h3>
        <p class="empty">
          {summary.exchangeCount === 0
            ? 'No exchange of this class has ended yet.'
            : `No first token yet: none of ${counted(summary.exchangeCount, 'exchange', 'exchanges')} had a token to time.`}
        </p>
      </section>
    );
  }
  const fullNs = Math.max(...points.map(({ point }) => point.ttftNs));
  return (
    <section class="ttft" data-class={summary.class}>
      <h3>
        {summary.class}{' '}
        <small>
          time to first token, {count(ttft.count)} {ttft.count === 1 ? 'exchange' : 'exchanges'}, in ms
        </small>
      </h3>
      <div class="scroll">
        <table class="figures ttft-table">
          <thead>
            <tr>
              <td />
              <td class="bar-cell" />
              <th class="n">TTFT</th>
              {shown.map((part) => (
                <th key={part} class="n" title={PART_MEANING[part]}>
                  <PartSwatch part={part} />
                  {part}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ at, point }) => (
              <PercentRow key={at} at={at} point={point} shown={shown} fullNs={fullNs} />
            ))}
          </tbody>
        </table>
      </div>
      <BasisLine summary={summary} />
    </section>
  );
}

interface PercentRowProps {
  readonly at: Percent;
  readonly point: TtftExchange;
  readonly shown: readonly PartLength['part'][];
  readonly fullNs: number;
}

function PercentRow({ at, point, shown, fullNs }: PercentRowProps) {
  const basisOf = (part: PartLength['part']): string | undefined =>
    part === 'queue' ? point.queueBasis : part === 'prefill' ? point.prefillBasis : undefined;
  return (
    <tr>
      <th scope="row">
        <ExchangeLink id={point.id} title="open this exchange">
          {at}
        </ExchangeLink>
      </th>
      <td class="bar-cell">
        <PartBar parts={point.parts} fullNs={fullNs} />
      </td>
      <td class="n strong" data-figure={`class.ttft-at.${at}`}>
        {msNumber(point.ttftNs)}
      </td>
      {shown.map((part) => {
        const length = point.parts.find((each) => each.part === part)?.partNs;
        const isModelled = length !== undefined && basisOf(part) === 'model';
        return (
          <td key={part} class="n" title={isModelled ? 'estimated by the calibrated model' : undefined}>
            {isModelled ? <span aria-label="about">≈ </span> : undefined}
            {msNumber(length)}
          </td>
        );
      })}
    </tr>
  );
}

/** What queue and prefill rest on; without it a split reads as if all of it were measured. */
function BasisLine({ summary }: { readonly summary: ClassSummary }) {
  const { basisCounts, ttftOfDemand } = summary;
  const failed = ttftOfDemand === undefined || ttftOfDemand.neverCount === 0 ? undefined : ttftOfDemand;
  return (
    <p class="note">
      {basisCounts === undefined ? undefined : (
        <>
          Rests on: <b>queue</b> {basisWords(basisCounts.queue)}; <b>prefill</b> {basisWords(basisCounts.prefill)}.{' '}
        </>
      )}
      {failed === undefined ? undefined : (
        <>
          With the {count(failed.neverCount)} of {count(failed.count)} that never got a token: p50 {late(failed.p50Ns)},
          p95 {late(failed.p95Ns)}, p99 {late(failed.p99Ns)}.
        </>
      )}
    </p>
  );
}

/** In words that say where the figure comes from; what did not occur is left out. */
function basisWords({ exact, model, unknown }: BasisCounts['queue']): string {
  const total = exact + model + unknown;
  const said = [
    { value: exact, name: 'exact' },
    { value: model, name: 'modelled (≈)' },
    { value: unknown, name: 'unknown' },
  ];
  const found = said.filter(({ value }) => value > 0);
  return found.length === 0 ? UNKNOWN : found.map(({ value, name }) => `${percent(value / total)} ${name}`).join(', ');
}
