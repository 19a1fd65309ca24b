// The stalls of one exchange: when, how long, who made them and how far the evidence goes, with the signs and numbers
// that led there.
import { listedStalls } from '../../judge/causes/listed-stalls.ts';
import { STALL_MEANINGS } from '../../judge/meanings.ts';
import type { Report } from '../../judge/report.ts';
import type { StallCause } from '../../record/stall-context.ts';
import type { LiveStall } from '../../telemetry/live/frame.ts';
import { Marked } from '../charts/marked.tsx';
import { count, counted, msNumber, percent, signWords, UNKNOWN, word } from '../format.ts';

/** That nothing was found is not all there is to say where not all could be looked at. */
function NoStalls({ taintedCounts }: Pick<Report['figures'], 'taintedCounts'>) {
  const { backpressure, ...late } = taintedCounts;
  const lateCount = Object.values(late).reduce((sum, value) => sum + value, 0);
  const total = backpressure + lateCount;
  const reasons = [
    ...(backpressure > 0 ? [`${count(backpressure)} because the client took no bytes, so none were read`] : []),
    ...(lateCount > 0 ? [`${count(lateCount)} because rubato or its machine was too busy to stamp both ends`] : []),
  ];
  return (
    <>
      <p class="well">
        None: no gap {total > 0 && 'that counts '}was above the limit of its class and four times its own median.
      </p>
      {total > 0 && (
        <p class="note">
          {counted(total, 'gap does', 'gaps do')} not count: {reasons.join('; ')}.
        </p>
      )}
    </>
  );
}

export function ExchangeStalls({ report }: { readonly report: Report }) {
  const stalls = listedStalls(report);
  const { stallCount } = report.figures;
  if (stallCount === 0) {
    return (
      <section>
        <h3>Stalls</h3>
        <NoStalls taintedCounts={report.figures.taintedCounts} />
      </section>
    );
  }
  const causes = [...new Set(stalls.flatMap(({ verdict }) => verdict?.cause ?? []))];
  return (
    <section>
      <h3>
        Stalls{' '}
        <small>
          {stalls.length < stallCount ? `the ${stalls.length} worst of ${count(stallCount)}` : count(stallCount)}
        </small>
      </h3>
      <div class="scroll">
        <table class="figures">
          <thead>
            <tr>
              <th class="n">began ms</th>
              <th class="n">length ms</th>
              <th>cause</th>
              <th class="n">confidence</th>
              <th>what led there</th>
            </tr>
          </thead>
          <tbody>
            {stalls.map(({ atNs, gapNs, verdict }) => (
              <tr key={atNs}>
                <td class="n">{msNumber(atNs - gapNs)}</td>
                <td class="n strong">{msNumber(gapNs)}</td>
                <td>{word(verdict?.cause)}</td>
                <td class="n">
                  {percent(verdict === undefined || verdict.confidence === 0 ? undefined : verdict.confidence)}
                </td>
                <td class="led">{verdict === undefined ? UNKNOWN : ledThere(verdict.signs, verdict.numbers)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CauseMeanings causes={causes} />
    </section>
  );
}

export interface OpenStallsProps {
  readonly stalls: readonly LiveStall[];
  readonly openedAtEpochMs: number;
}

export function OpenStalls({ stalls, openedAtEpochMs }: OpenStallsProps) {
  if (stalls.length === 0) return <p class="well">No stall so far.</p>;
  return (
    <section>
      <h3>Stalls so far</h3>
      <ul>
        {stalls.map(({ endedAtEpochMs, gapMs, cause, confidence }) => (
          <li key={endedAtEpochMs}>
            {msNumber(gapMs * 1e6)} ms, over at {msNumber((endedAtEpochMs - openedAtEpochMs) * 1e6)} ms:{' '}
            {cause === undefined
              ? 'its cause is not told yet'
              : `${word(cause)}${confidence === undefined || confidence === 0 ? '' : ` (${percent(confidence)})`}`}
          </li>
        ))}
      </ul>
      <CauseMeanings causes={[...new Set(stalls.flatMap(({ cause }) => cause ?? []))]} />
    </section>
  );
}

export function CauseMeanings({ causes }: { readonly causes: readonly StallCause[] }) {
  return (
    <dl class="meanings">
      {causes.map((cause) => (
        <div key={cause}>
          <dt>{word(cause)}</dt>
          <dd>
            {STALL_MEANINGS[cause].means}{' '}
            <span class="why">
              <Marked text={STALL_MEANINGS[cause].cure} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function ledThere(signs: readonly string[], numbers: Readonly<Record<string, number>>): string {
  return signWords(signs, numbers).join(' · ') || UNKNOWN;
}
