// The section of batch jobs: how far each has come, whether its tokens come fast enough, and what became of those that
// are over. Shows figures as they are told.
import type { JobFigures, JobObjective, JobReport } from '../../judge/job/judge-job.ts';
import type { LiveState } from '../../telemetry/live/frame.ts';
import { clock, count, figure, percent, span, word } from '../format.ts';

const NS_PER_MS = 1e6;

export interface JobsProps {
  readonly jobs: LiveState['jobs'];
}

export function JobsView({ jobs: { open, recent } }: JobsProps) {
  return (
    <div class="scroll">
      <table class="figures">
        <caption class="sr-only">Batch jobs, those that are open first</caption>
        <thead>
          <tr>
            <th scope="col">job</th>
            <th scope="col">class</th>
            <th scope="col">state</th>
            <th scope="col">began</th>
            {['lasts', 'answered', 'of', 'valid', 'failed', 'tokens/s', 'needed'].map((title) => (
              <th key={title} scope="col" class="n">
                {title}
              </th>
            ))}
            <th scope="col">promised</th>
          </tr>
        </thead>
        <tbody>
          {open.map((job) => (
            <Row key={job.id} job={job} />
          ))}
          {recent.toReversed().map((job) => (
            <Row key={`${job.id} ${job.startedAtEpochMs}`} job={job} report={job} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ job, report }: { readonly job: JobFigures; readonly report?: JobReport }) {
  return (
    <tr>
      <th scope="row">{job.id}</th>
      <td>{job.class}</td>
      <td>{report === undefined ? 'open' : ENDS[report.end]}</td>
      <td>{clock(job.startedAtEpochMs)}</td>
      <td class="n">{span(job.lengthNs / NS_PER_MS)}</td>
      <td class="n">{count(job.answeredCount)}</td>
      <td class="n">{count(job.size)}</td>
      <td class="n">{percent(job.validRatio)}</td>
      <td class="n">{count(job.failedCount)}</td>
      <td class="n">{figure(job.tokensPerSecond)}</td>
      <td class="n">{figure(job.neededTokensPerSecond)}</td>
      <td>{report === undefined ? '' : <Met met={report.met} />}</td>
    </tr>
  );
}

const ENDS: Readonly<Record<JobReport['end'], string>> = {
  size: 'all done',
  deadline: 'time was up',
  idle: 'nothing came any more',
};

const MET_WORDS = { true: 'kept', false: 'missed', unknown: 'unknown' } as const;
const MET_TONES = { true: 'good', false: 'bad', unknown: 'warn' } as const;

function Met({ met }: Pick<JobReport, 'met'>) {
  const known = Object.entries(met) as [JobObjective, keyof typeof MET_WORDS][];
  return known.map(([name, value]) => (
    <span key={name} class={`tag ${MET_TONES[value]}`}>
      {word(name)} {MET_WORDS[value]}
    </span>
  ));
}
