// Several streams of one route, told to an observer in the order of time: what an engine that works in steps looks
// like from outside, in few words. Moments are ms.
import type { StallVerdict } from '../../../../src/judge/causes/verdict.ts';
import type { Report } from '../../../../src/judge/report.ts';
import type { ObserverOptions } from '../../../../src/observe/observer-options.ts';
import type { EngineSample } from '../../../../src/record/stall-context.ts';
import type { OpenEntry } from '../../../../src/tape/entries.ts';
import { catchSink, createStage, DONE, FINISH, OPENED_AT_NS, text, type Play, type Stage } from '../tape-play.ts';

export interface StreamSpec {
  readonly openMs: number;
  /** Of the text given to the model. */
  readonly promptBytes?: number;
  /** Until then it stands in the admission queue. */
  readonly turnMs?: number;
  /** Moments of its reads; a number of events other than one is written as [moment, events]. */
  readonly reads: readonly (number | readonly [atMs: number, events: number])[];
  /** Default: 1 ms after the last read. `never`: it stays open. */
  readonly endMs?: number | 'never';
  readonly opening?: Partial<OpenEntry>;
  /** More that happens to it. */
  readonly more?: readonly { readonly atMs: number; readonly tell: (play: Play) => void }[];
}

export interface Played extends Stage {
  /** Every cause that was told, live or at an end, with the model of its stream. */
  readonly told: { readonly model: string; readonly verdict: StallVerdict }[];
  reportOf(model: string): Report;
}

/** `streams` by the name of their model, so that they can be told apart. */
export function playRoute(
  streams: Readonly<Record<string, StreamSpec>>,
  options: Partial<ObserverOptions> & { readonly samples?: readonly EngineSample[] } = {},
): Played {
  const told: Played['told'] = [];
  const catching = catchSink('causes');
  const sink = {
    ...catching,
    onStall: ({ model }: { readonly model: string }, verdict: StallVerdict) => void told.push({ model, verdict }),
  };
  const { samples, ...rest } = options;
  let now = OPENED_AT_NS;
  const looks = samples && {
    engineLooks: { samples: () => samples.filter(({ atNs }) => atNs <= now), askSoon: () => undefined },
  };
  const stage = createStage({ sinks: [sink], models: Object.keys(streams), ...looks, ...rest });
  const moments = Object.entries(streams).flatMap(([model, spec], index) => momentsOf(stage, model, spec, index + 1));
  for (const { atMs, tell } of moments.sort((a, b) => a.atMs - b.atMs)) {
    now = OPENED_AT_NS + atMs * 1e6;
    tell();
  }
  return {
    ...stage,
    told,
    reportOf: (model) => catching.reports.find(({ record }) => record.request.model === model) as Report,
  };
}

interface Moment {
  readonly atMs: number;
  readonly tell: () => void;
}

function momentsOf(stage: Stage, model: string, spec: StreamSpec, number: number): Moment[] {
  const { openMs, promptBytes = 400, turnMs = openMs, reads, opening, more = [] } = spec;
  let play: Play;
  const since = (atMs: number): number => atMs - openMs;
  const open = (): void => {
    const content = 'x'.repeat(promptBytes);
    play = stage.exchange(number, { openedAtNs: OPENED_AT_NS + Math.round(openMs * 1e6), ...opening });
    play.request({ model, stream: true, messages: [{ role: 'user', content }] }, 0);
  };
  const go = (): void => void play.mark('requestSent', since(turnMs) + 0.5).head(since(turnMs) + 1);
  const lastMs = reads.reduce<number>(
    (latest, read) => Math.max(latest, typeof read === 'number' ? read : read[0]),
    openMs,
  );
  const { endMs = lastMs + 1 } = spec;
  return [
    { atMs: openMs, tell: open },
    { atMs: turnMs, tell: go },
    ...reads.map((read) => {
      const [atMs, events] = typeof read === 'number' ? [read, 1] : read;
      return { atMs, tell: () => void play.chunk(since(atMs), text('tok').repeat(events)) };
    }),
    ...more.map(({ atMs, tell }) => ({ atMs, tell: () => tell(play) })),
    ...(endMs === 'never'
      ? []
      : [{ atMs: endMs, tell: () => void play.chunk(since(endMs), FINISH + DONE).end(since(endMs) + 0.1) }]),
  ];
}

/** Moments of steps from `fromMs` to before `toMs`. */
export function steps(fromMs: number, toMs: number, everyMs = 20): number[] {
  const count = Math.max(0, Math.ceil((toMs - fromMs) / everyMs));
  return Array.from({ length: count }, (_, index) => fromMs + index * everyMs);
}
