// The section of rubato's own cost and health: what it takes, what it left out, and whether all is well. Says figures
// as they are told, and the sidecar's own warnings in its words.
import type { LiveAbout, LiveSelf } from '../../telemetry/live/frame.ts';
import { bytes, count, figure, moment, percent, span, word } from '../format.ts';
import '../style/health.css';

export interface HealthProps {
  readonly about: LiveAbout;
  readonly self: LiveSelf;
  readonly atEpochMs: number;
}

export function HealthView({ about, self, atEpochMs }: HealthProps) {
  return (
    <div class="health">
      <Warnings warnings={self.warnings} />
      <dl class="health-figures">
        <Figure name="relay-lag" title="relay loop, longest busy" says={span(self.relayLagMs)} />
        <Figure name="main-lag" title="main loop, longest busy" says={span(self.mainLagMs)} />
        <Figure name="cpu" title="CPU, of one core" says={percent(self.cpuRatio)} />
        <Figure name="memory" title="memory" says={bytes(self.rssBytes)} />
        <Figure name="chunk-rate" title="chunks per second" says={figure(self.chunksPerSecond)} />
        <Figure name="chunks" title="chunks since the start" says={count(self.chunkCount)} />
        <Figure name="relays" title="relays" says={count(self.relayCount)} />
        <Figure name="watchers" title="watchers" says={count(self.watcherCount)} />
        <Figure
          name="uptime"
          title={`up since ${moment(about.startedAtEpochMs)}`}
          says={span(atEpochMs - about.startedAtEpochMs)}
        />
      </dl>
      <div class="health-tables">
        <Counts
          title="Detail that overload took from the tape"
          none="None: every chunk was seen whole."
          counts={self.tapeDropped}
        />
        <Counts
          title="Gaps kept out of the figures, by what spoiled their stamps"
          none="None: every stamp was good enough."
          counts={self.taintedGaps}
        />
        <Counts title="Requests that were turned away" none="None." counts={self.shed} />
        <Exports exports={self.exports} />
      </div>
      {self.readerDetachedCount > 0 && (
        <p class="warning">
          {count(self.readerDetachedCount)} answers could not be read to their end: their bytes passed, their figures
          are not whole.
        </p>
      )}
    </div>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) {
    return (
      <p class="health-well">
        <span class="tag good">well</span> rubato sees all there is to see and is not in the way.
      </p>
    );
  }
  return (
    <ul class="health-warnings">
      {warnings.map((says) => (
        <li key={says} class="warning">
          {says}
        </li>
      ))}
    </ul>
  );
}

function Figure({ name, title, says }: { readonly name: string; readonly title: string; readonly says: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd data-figure={`self.${name}`}>{says}</dd>
    </div>
  );
}

interface CountsProps {
  readonly title: string;
  readonly none: string;
  readonly counts: Readonly<Record<string, number>>;
}

function Counts({ title, none, counts }: CountsProps) {
  const some = Object.entries(counts).filter(([, value]) => value > 0);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {some.length === 0 ? (
        <p class="note">{none}</p>
      ) : (
        <table class="figures">
          <tbody>
            {some.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{word(name)}</th>
                <td class="n">{count(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Exports({ exports: all }: Pick<LiveSelf, 'exports'>) {
  // A signal of which nothing is known and nothing lost is one that nobody configured.
  const exports = all.filter(({ exportedCount, droppedCount }) => exportedCount !== undefined || droppedCount > 0);
  return (
    <section aria-label="What leaves the sidecar">
      <h3>What leaves the sidecar</h3>
      {exports.length === 0 ? (
        <p class="note">Nothing is exported: neither OTLP nor a record file is configured.</p>
      ) : (
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">signal</th>
              <th scope="col" class="n">
                exported
              </th>
              <th scope="col" class="n">
                lost
              </th>
            </tr>
          </thead>
          <tbody>
            {exports.map(({ signal, exportedCount, droppedCount }) => (
              <tr key={signal}>
                <th scope="row">{word(signal)}</th>
                <td class="n">{count(exportedCount)}</td>
                <td class="n">{count(droppedCount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
