// The live page: its head, its sections in their order, and the exchange that is open. Knows which view shows what,
// and nothing of how.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LiveModel } from '../../telemetry/live/model.ts';
import { useLive } from '../feed/use-live.ts';
import { clock } from '../format.ts';
import { ClassesView } from '../views/classes.tsx';
import { DiagnosisView } from '../views/diagnosis.tsx';
import { ExchangeView } from '../views/exchange.tsx';
import { GapsView } from '../views/gaps.tsx';
import { HealthView } from '../views/health.tsx';
import { HopsView } from '../views/hops.tsx';
import { JobsView } from '../views/jobs.tsx';
import { ObjectivesView } from '../views/objectives.tsx';
import { StreamsView } from '../views/streams.tsx';
import { Announcer } from './announcer.tsx';
import { Banner } from './banner.tsx';
import { classNamesOf } from './class-names.ts';
import { ExchangeDialog } from './exchange-dialog.tsx';
import { Head } from './head.tsx';
import { useStreamRoute } from './route.ts';
import { useScrollStops } from './scroll-stops.ts';
import { Section } from './section.tsx';
import { Welcome } from './welcome.tsx';

const HEALTH = { id: 'health', title: 'Health' };
const JOBS = { id: 'jobs', title: 'Batch jobs' };
const SECTIONS = [
  { id: 'classes', title: 'Classes' },
  { id: 'gaps', title: 'Gaps' },
  { id: 'streams', title: 'Streams' },
  { id: 'objectives', title: 'Objectives' },
  JOBS,
  { id: 'diagnosis', title: 'Diagnosis' },
  { id: 'hops', title: 'Hops' },
  HEALTH,
];

export function Page() {
  const live = useLive();
  useScrollStops();
  const { link, model } = live.snapshot;
  const { id, close } = useStreamRoute();
  const [className, setClassName] = useState<string | undefined>(undefined);
  const isKnown = model !== undefined;
  // The browser went to the section of the address before it was there.
  useEffect(() => {
    // Whatever stands there is looked up as an id: as a selector, some of it would be none.
    if (isKnown && location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [isKnown]);
  const isEmpty = model !== undefined && hasSeenNothing(model);
  const sections = model === undefined ? [] : sectionsOf(model);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the figures
      </a>
      <Head
        snapshot={live.snapshot}
        sections={sections}
        classNames={model === undefined ? [] : classNamesOf(model, className)}
        className={className}
        onClass={setClassName}
      >
        <Banner {...live} />
      </Head>
      <main id="content" tabIndex={-1} class={link.word === 'lost' ? 'stale' : undefined} data-link={link.word}>
        {model === undefined ? (
          <p class="waiting">
            {link.word === 'connecting' ? 'Asking the sidecar what it sees …' : 'Nothing is known yet.'}
          </p>
        ) : (
          <Sections model={model} isEmpty={isEmpty} className={className} />
        )}
      </main>
      <Announcer snapshot={live.snapshot} />
      <ExchangeDialog id={id} onClose={close}>
        {id !== undefined && <ExchangeView key={id} id={id} about={model?.about} />}
      </ExchangeDialog>
    </>
  );
}

interface SectionsProps {
  readonly model: LiveModel;
  readonly isEmpty: boolean;
  readonly className: string | undefined;
}

function Sections({ model, isEmpty, className }: SectionsProps) {
  const { about, state } = model;
  const health = useMemo(
    () => (
      <Section id="health" title="Health" note="What rubato itself costs, and whether it sees all there is to see.">
        <HealthView about={about} self={state.self} atEpochMs={state.atEpochMs} />
      </Section>
    ),
    [about, state],
  );
  if (isEmpty) {
    return (
      <>
        <Welcome about={about} />
        {health}
      </>
    );
  }
  return (
    <>
      <Figures model={model} className={className} />
      <StreamsSection model={model} className={className} />
      <Opinions model={model} className={className} />
      {health}
    </>
  );
}

type PartProps = Omit<SectionsProps, 'isEmpty'>;

/** Drawn anew when a state or a column came, not with every beat. */
function Figures({ model: { about, state, columns }, className }: PartProps) {
  return useMemo(() => {
    const classes = ofClass(state.classes, className);
    return (
      <>
        <Section
          id="classes"
          title="Classes"
          note={`Of the latest exchanges of each class, at ${clock(state.atEpochMs)}.`}
        >
          <ClassesView classes={classes} />
        </Section>
        <Section id="gaps" title="Gaps" note="How long readers wait between two pieces of text.">
          <GapsView
            about={about}
            columns={columns}
            histograms={ofClass(state.histograms, className)}
            classes={classes}
            floors={state.floors}
            className={className}
          />
        </Section>
      </>
    );
  }, [about, state, columns, className]);
}

function StreamsSection({ model, className }: PartProps) {
  return (
    <Section
      id="streams"
      title="Streams"
      note="Chunks up to now: received above the line, handed to the client's kernel below. Hatched: a stall."
    >
      <StreamsView model={model} className={className} />
    </Section>
  );
}

function Opinions({ model: { state }, className }: PartProps) {
  return useMemo(
    () => (
      <>
        <Section
          id="objectives"
          title="Objectives"
          note="What was promised, what was kept, and what is left of the budget."
        >
          <ObjectivesView classes={ofClass(state.classes, className)} />
        </Section>
        {hasJobs(state) && (
          <Section id="jobs" title="Batch jobs" note="Those under way, and the latest that are over.">
            <JobsView jobs={state.jobs} />
          </Section>
        )}
        <Section id="diagnosis" title="Diagnosis" note="What ails the engine of each route lately, in words.">
          <DiagnosisView diagnoses={state.diagnoses} engines={state.engines} floors={state.floors} />
        </Section>
        <Section id="hops" title="Hops" note="Proxies on the way that were seen from both sides.">
          <HopsView hops={state.hops} />
        </Section>
      </>
    ),
    [state, className],
  );
}

function ofClass<Item extends { readonly class: string }>(
  items: readonly Item[],
  name: string | undefined,
): readonly Item[] {
  return name === undefined ? items : items.filter((item) => item.class === name);
}

function sectionsOf(model: LiveModel): typeof SECTIONS {
  if (hasSeenNothing(model)) return [HEALTH];
  return hasJobs(model.state) ? SECTIONS : SECTIONS.filter((section) => section !== JOBS);
}

/** Most sidecars never see one. */
function hasJobs({ jobs }: LiveModel['state']): boolean {
  return jobs.open.length + jobs.recent.length > 0;
}

function hasSeenNothing({ state, openCount, ended }: LiveModel): boolean {
  return state.classes.length === 0 && openCount === 0 && ended.length === 0;
}
