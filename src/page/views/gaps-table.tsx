// The distributions of gaps as a table, for whoever cannot or would not read a picture.
import type { GapHistogram } from '../../telemetry/live/frame.ts';
import type { ClassSummary } from '../../telemetry/summary.ts';
import { count, msNumber, percent } from '../format.ts';

export interface GapsTableProps {
  readonly histograms: readonly GapHistogram[];
  readonly classes: readonly ClassSummary[];
}

export function GapsTable({ histograms, classes }: GapsTableProps) {
  return (
    <div class="scroll">
      <table class="figures">
        <caption class="sr-only">Gaps of each class, lengths in ms</caption>
        <thead>
          <tr>
            {['class', 'gaps', 'p50', 'p95', 'p99', 'longest', 'modes', 'in slow modes'].map((name, index) => (
              <th key={name} class={index === 0 ? '' : 'n'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {histograms.map(({ class: name, count: gapCount, shape }) => {
            const gap = classes.find((each) => each.class === name)?.gap;
            const modes = shape?.modes.map(({ atNs, weightRatio }) => `${msNumber(atNs)} (${percent(weightRatio)})`);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="n">{count(gapCount)}</td>
                <td class="n">{msNumber(gap?.p50Ns)}</td>
                <td class="n">{msNumber(gap?.p95Ns)}</td>
                <td class="n">{msNumber(gap?.p99Ns)}</td>
                <td class="n">{msNumber(gap?.maxNs)}</td>
                <td class="n">{modes === undefined ? msNumber(undefined) : modes.join(', ')}</td>
                <td class="n">{percent(shape?.slowRatio)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
