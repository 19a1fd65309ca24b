// What engines publish of themselves, and decode steps beside the floor of their hardware, as tables.
import type { EngineState } from '../../judge/engine-state.ts';
import type { FloorState } from '../../judge/floor/live.ts';
import { count, figure, msNumber, percent, span, UNKNOWN } from '../format.ts';

const NS_PER_MS = 1e6;
const ENGINE_HEAD = [
  'running',
  'waiting',
  'KV cache',
  'thrown out',
  'queue ms',
  'prefill ms',
  'step ms',
  'window',
  'heard',
];
const FLOOR_HEAD = ['batch', 'context', 'floor ms', 'step ms', 'times floor', 'bandwidth used'];

export function EngineTable({ engines }: { readonly engines: readonly EngineState[] }) {
  return (
    <section>
      <h3>
        Engines, from their own metrics <small>means over a window, of all their clients</small>
      </h3>
      <div class="scroll">
        <table class="figures">
          <Head names={['route', 'engine']} figures={ENGINE_HEAD} />
          <tbody>
            {engines.map((each) => (
              <tr key={each.route}>
                <th scope="row">{each.route}</th>
                <td>{each.engine ?? UNKNOWN}</td>
                <td class="n">{count(each.runningCount)}</td>
                <td class="n">{count(each.waitingCount)}</td>
                <td class="n">{percent(each.kvUsedRatio)}</td>
                <td class="n">{count(each.preemptedCount)}</td>
                <td class="n">{msNumber(each.window?.queueMeanNs)}</td>
                <td class="n">{msNumber(each.window?.prefillMeanNs)}</td>
                <td class="n">{msNumber(each.window?.stepMeanNs)}</td>
                <td class="n">{span(inMs(each.window?.windowNs))}</td>
                <td class="n">{heard(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function FloorTable({ floors }: { readonly floors: readonly FloorState[] }) {
  return (
    <section>
      <h3>
        Decode step beside its floor <small>what memory and compute allow at full rates</small>
      </h3>
      <div class="scroll">
        <table class="figures">
          <Head names={['route', 'model', 'hardware']} figures={FLOOR_HEAD} />
          <tbody>
            {floors.map((each) => (
              <tr key={each.route}>
                <th scope="row">{each.route}</th>
                <td>{each.model}</td>
                <td>
                  {each.tensorParallelCount > 1 ? `${each.tensorParallelCount} × ` : ''}
                  {each.hardware}
                </td>
                <td class="n" title={each.basis === 'seen' ? 'streams that pass here' : "the engine's own count"}>
                  {figure(each.batchCount)}
                </td>
                <td class="n">{count(each.contextTokens)}</td>
                <td class="n">{msNumber(each.floorNs)}</td>
                <td class="n">{msNumber(each.stepNs)}</td>
                <td class="n strong">{figure(each.timesFloor)}</td>
                <td class="n">{percent(each.bandwidthRatio)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Head({ names, figures }: { readonly names: readonly string[]; readonly figures: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name}>{name}</th>
        ))}
        {figures.map((name) => (
          <th key={name} class="n">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function heard({ up, ageNs }: EngineState): string {
  if (ageNs === undefined) return up ? UNKNOWN : 'never';
  return `${span(inMs(ageNs))} ago${up ? '' : ', down'}`;
}

function inMs(lengthNs: number | undefined): number | undefined {
  return lengthNs === undefined ? undefined : lengthNs / NS_PER_MS;
}
