// The worst exchanges of a report as a list to choose from.
import type { WorstExchange } from '../../telemetry/report-data.ts';
import { ExchangeLink } from '../charts/exchange-link.tsx';
import { count, moment, msNumber, UNKNOWN, word } from '../format.ts';

export interface ReportWorstProps {
  readonly worst: readonly WorstExchange[];
  readonly className: string | undefined;
}

const HEAD = ['TTFT ms', 'worst gap ms', 'stalls', 'duration ms', 'chunks'];

export function ReportWorst({ worst, className }: ReportWorstProps) {
  const shown = worst.filter(({ report }) => className === undefined || report.labels.class === className);
  if (shown.length === 0) return <p class="empty">None of the exchanges that the report carries is of this class.</p>;
  return (
    <div class="scroll">
      <table class="figures">
        <thead>
          <tr>
            {['exchange', 'opened', 'class', 'model', 'outcome'].map((name) => (
              <th key={name}>{name}</th>
            ))}
            {HEAD.map((name) => (
              <th key={name} class="n">
                {name}
              </th>
            ))}
            <th>causes of its stalls</th>
            <th>delivery</th>
            <th>missed</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ report }) => (
            <WorstRow key={report.record.id} report={report} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WorstRow({ report }: { readonly report: WorstExchange['report'] }) {
  const { record, figures, labels, delivery, slo, stalls = [] } = report;
  const causes = [...new Set(stalls.map(({ cause }) => cause))];
  const missed = (slo?.objectives ?? []).filter(({ met }) => met === 'false').map(({ name }) => name);
  return (
    <tr>
      <th scope="row">
        <ExchangeLink id={record.id}>{record.id}</ExchangeLink>
      </th>
      <td>{moment(record.openedAtEpochMs)}</td>
      <td>{labels.edge === undefined ? labels.class : `${labels.class}, before ${labels.edge}`}</td>
      <td>{labels.model}</td>
      <td>{word(record.end.outcome)}</td>
      <td class="n">{msNumber(figures.ttftNs)}</td>
      <td class="n">{msNumber(figures.gapsReceived.maxNs)}</td>
      <td class="n">{count(figures.stallCount)}</td>
      <td class="n">{msNumber(figures.durationNs)}</td>
      <td class="n">{count(record.response.chunkCount)}</td>
      <td>{listed(causes)}</td>
      <td>{delivery?.way === undefined ? word(delivery?.word) : `${delivery.word}: ${word(delivery.way)}`}</td>
      <td>{listed(missed)}</td>
    </tr>
  );
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? UNKNOWN : names.map((name) => word(name)).join(', ');
}
