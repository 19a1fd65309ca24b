// The page of a report: the live page's own views over the recorded time, and the worst exchanges to look into.
import { useState } from 'preact/hooks';
import type { ReportData } from '../../telemetry/report-data.ts';
import { CanOpen } from '../charts/exchange-link.tsx';
import { count, counted, moment, span, UNKNOWN } from '../format.ts';
import { ClassChoice, type ClassChoiceProps } from '../shell/choice.tsx';
import { useScrollStops } from '../shell/scroll-stops.ts';
import { Section } from '../shell/section.tsx';
import { ClassesView } from '../views/classes.tsx';
import { GapsView } from '../views/gaps.tsx';
import { HopsView } from '../views/hops.tsx';
import { ObjectivesView } from '../views/objectives.tsx';
import { ReportCauses } from './report-causes.tsx';
import { ReportDialog } from './report-dialog.tsx';
import { ReportWorst } from './report-worst.tsx';

const NO_FLOORS: readonly never[] = [];

export function ReportPage({ data }: { readonly data: ReportData }) {
  useScrollStops();
  const [className, setClassName] = useState<string | undefined>(undefined);
  const { classes, worst, about, columns, histograms } = data;
  const ids = new Set(worst.map(({ report }) => report.record.id));
  const shown = classes.filter((each) => className === undefined || each.class === className);
  return (
    <CanOpen.Provider value={(id) => ids.has(id)}>
      <ReportHead data={data} className={className} onClass={setClassName} />
      <main>
        <Section id="classes" title="Classes">
          <ClassesView classes={shown} />
        </Section>
        <Section id="gaps" title="Gaps" note={`a column is ${span(about.columnMs)}`}>
          <GapsView {...{ about, columns, histograms, classes, className }} floors={NO_FLOORS} />
        </Section>
        <Section id="stalls" title="Stalls by who made them">
          <ReportCauses causes={data.causes.filter((row) => className === undefined || row.class === className)} />
        </Section>
        <Section id="objectives" title="Objectives and goodput">
          <ObjectivesView classes={shown} isWhole />
        </Section>
        <Section id="hops" title="Hops">
          <HopsView hops={data.hops} />
        </Section>
        <Section id="worst" title="Worst exchanges" note="by their longest gap, and by their time to first token">
          <ReportWorst worst={worst} className={className} />
        </Section>
      </main>
      <ReportDialog worst={worst} />
    </CanOpen.Provider>
  );
}

interface ReportHeadProps extends Omit<ClassChoiceProps, 'classNames'> {
  readonly data: ReportData;
}

function ReportHead({ data, className, onClass }: ReportHeadProps) {
  const { title, files, fromEpochMs, toEpochMs, exchangeCount, edgeCount, version, madeAtEpochMs, notes } = data;
  return (
    <header class="report-head">
      <h1>{title}</h1>
      <p>
        {counted(exchangeCount, 'exchange', 'exchanges')} from {moment(fromEpochMs)} to {moment(toEpochMs)} (
        {span(Math.max(0, toEpochMs - fromEpochMs))})
        {edgeCount === 0 ? '' : `, ${count(edgeCount)} of them seen before a hop and counted in no class`}. Every figure
        was computed anew from the records by rubato {version}, {moment(madeAtEpochMs)}.
      </p>
      <p class="note">
        {files
          .map(({ name, exchangeCount: each }) => `${name}: ${counted(each, 'exchange', 'exchanges')}`)
          .join(' · ') || UNKNOWN}
      </p>
      {notes.map((text) => (
        <p key={text} class="warning">
          {text}
        </p>
      ))}
      {data.classes.length < 2 ? undefined : (
        <ClassChoice classNames={data.classes.map((each) => each.class)} className={className} onClass={onClass} />
      )}
    </header>
  );
}
