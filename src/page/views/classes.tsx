// The section of classes: how long the first token takes and what that is made of, and how even the stream is after
// it. Shows figures as they are told; computes none but the share of exchanges that are ok.
import type { ClassSummary } from '../../telemetry/summary.ts';
import { ExchangeLink } from '../charts/exchange-link.tsx';
import { count, msNumber, percent, word } from '../format.ts';
import { ClassTtft, partsShown } from './classes-ttft.tsx';

export interface ClassesProps {
  readonly classes: readonly ClassSummary[];
}

export function ClassesView({ classes }: ClassesProps) {
  if (classes.length === 0) {
    return <p class="empty">No exchange has ended yet. The first one brings its class here.</p>;
  }
  const shown = partsShown(classes);
  return (
    <div class="classes">
      <div class="scroll">
        <ClassTable classes={classes} />
      </div>
      {classes.map((each) => (
        <ClassTtft key={each.class} summary={each} shown={shown} />
      ))}
    </div>
  );
}

function ClassTable({ classes }: ClassesProps) {
  return (
    <table class="figures">
      <caption class="sr-only">Figures of each class, lengths in ms</caption>
      <thead>
        <tr>
          <th rowSpan={2}>class</th>
          <th rowSpan={2} class="n">
            exchanges
          </th>
          <th rowSpan={2} class="n">
            ok
          </th>
          <th colSpan={3} class="group">
            TTFT ms
          </th>
          <th class="n group-one">TPOT ms</th>
          <th colSpan={3} class="group">
            gap ms
          </th>
          <th rowSpan={2} class="n">
            stalls
          </th>
        </tr>
        <tr>
          {['p50', 'p95', 'p99', 'p50', 'p50', 'p99', 'worst'].map((name, index) => (
            <th key={index} class="n">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {classes.map((each) => (
          <ClassRow key={each.class} each={each} />
        ))}
      </tbody>
    </table>
  );
}

function ClassRow({ each }: { readonly each: ClassSummary }) {
  const { exchangeCount, outcomeCounts, worst } = each;
  const okCount = outcomeCounts.ok ?? 0;
  const others = Object.entries(outcomeCounts).map(([outcome, value]) => `${word(outcome)} ${count(value)}`);
  const cells = [
    { name: 'ttft.p50', text: msNumber(each.ttft?.p50Ns) },
    { name: 'ttft.p95', text: msNumber(each.ttft?.p95Ns) },
    { name: 'ttft.p99', text: msNumber(each.ttft?.p99Ns) },
    { name: 'tpot.p50', text: msNumber(each.tpot?.p50Ns) },
    { name: 'gap.p50', text: msNumber(each.gap?.p50Ns) },
    { name: 'gap.p99', text: msNumber(each.gap?.p99Ns) },
  ];
  return (
    <tr data-class={each.class}>
      <th scope="row">{each.class}</th>
      <td class="n" data-figure="class.exchanges">
        {count(exchangeCount)}
      </td>
      <td class="n" data-figure="class.ok" title={others.join(', ')}>
        {percent(exchangeCount === 0 ? undefined : okCount / exchangeCount)}
      </td>
      {cells.map(({ name, text }) => (
        <td key={name} class="n" data-figure={`class.${name}`}>
          {text}
        </td>
      ))}
      <td class="n" data-figure="class.gap.worst">
        {worst === undefined ? (
          msNumber(undefined)
        ) : (
          <ExchangeLink id={worst.id} title={`${worst.model}, ${word(worst.outcome)}`}>
            {msNumber(worst.gapMaxNs)}
          </ExchangeLink>
        )}
      </td>
      <td class="n" data-figure="class.stalls" title={`of ${count(each.gapCount)} gaps`}>
        {count(each.stallCount)}
      </td>
    </tr>
  );
}
