// Stalls of the recorded time by class and cause, and what each cause means.
import type { CauseRow } from '../../telemetry/report-data.ts';
import { ExchangeLink } from '../charts/exchange-link.tsx';
import { count, msNumber, percent, word } from '../format.ts';
import { CauseMeanings } from '../views/exchange-stalls.tsx';

export function ReportCauses({ causes }: { readonly causes: readonly CauseRow[] }) {
  if (causes.length === 0) return <p class="well">No stream stalled.</p>;
  const total = causes.reduce((sum, row) => sum + row.count, 0);
  return (
    <div class="hops">
      <div class="scroll">
        <table class="figures">
          <thead>
            <tr>
              <th>class</th>
              <th>cause</th>
              <th class="n">stalls</th>
              <th class="n">share</th>
              <th class="n">together ms</th>
              <th class="n">longest ms</th>
            </tr>
          </thead>
          <tbody>
            {causes.map((row) => (
              <tr key={`${row.class} ${row.cause}`} data-cause={row.cause}>
                <th scope="row">{row.class}</th>
                <td>{word(row.cause)}</td>
                <td class="n strong">{count(row.count)}</td>
                <td class="n">{percent(row.count / total)}</td>
                <td class="n">{row.maxNs === undefined ? msNumber(undefined) : msNumber(row.sumNs)}</td>
                <td class="n">
                  {row.worstId === undefined ? (
                    msNumber(row.maxNs)
                  ) : (
                    <ExchangeLink id={row.worstId}>{msNumber(row.maxNs)}</ExchangeLink>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CauseMeanings causes={[...new Set(causes.map(({ cause }) => cause))]} />
    </div>
  );
}
