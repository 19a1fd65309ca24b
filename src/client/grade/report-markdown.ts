// A grading as a page of Markdown.
import { ABSENT, showMs } from '../spread.ts';
import { GRADE_CHANGES, type CaseCard } from './compare.ts';
import { added } from './findings.ts';
import type { Grading } from './grade.ts';

export function gradeMarkdown({ gateway, version, start, cases, findings }: Grading): string {
  const name = version === undefined ? gateway : `${gateway} ${version}`;
  return [
    `# Report card of ${name}`,
    '',
    'Each case was asked for twice, directly and through the gateway, with one clock at both ends; lengths in ms.',
    '',
    '## Findings',
    '',
    ...(findings.length === 0 ? ['None: it passes every stream on as it came.'] : []),
    ...findings.map(
      ({ weight, says, cases: where }) => `- ${weight === 'bad' ? '**bad**' : 'note'}: ${says} (${where.join(', ')})`,
    ),
    '',
    '## The start of a stream',
    '',
    `Added to TTFT ${showMs(start.ttftAddedNs)}: before the engine was asked ${showMs(start.askAddedNs)}, hold of the first text ${showMs(start.firstHoldAddedNs)}; hold of later text ${showMs(start.laterHoldAddedNs)} (medians of ${start.runCount} runs, through less direct).`,
    '',
    '## Cases',
    '',
    ...caseTable(cases),
    '',
    '*Hold*: text written by the engine → read by the client. *Jitter*: by how much gaps came out longer or shorter than they went in, p95. *Together*: writes that came out in the read of another one. *Held*: bytes written by the engine and not seen by the client. *Abort*: client left → the engine saw it.',
    '',
    '## What was changed',
    '',
    ...changeLines(cases),
    '',
  ].join('\n');
}

function caseTable(cases: readonly CaseCard[]): string[] {
  const names = [
    'case',
    'TTFT added',
    'hold p50 / p95 / max',
    'direct',
    'jitter, direct',
    'together',
    'held bytes',
    'head added',
    'abort, direct',
  ];
  return [
    `| ${names.join(' | ')} |`,
    `| ${names.map(() => '---').join(' | ')} |`,
    ...cases.map((card) => caseRow(card)),
  ];
}

function caseRow(card: CaseCard): string {
  const { title, direct, through } = card;
  const ttft = through.ttftNs === undefined ? ABSENT : showMs(added(card, 'ttftNs'));
  const holds = [through.holdP50Ns, through.holdP95Ns, through.holdMaxNs].map((each) => showMs(each)).join(' / ');
  const together = through.coalescedRatio === undefined ? ABSENT : `${Math.round(through.coalescedRatio * 100)} %`;
  const cells = [
    title,
    ttft,
    holds,
    showMs(direct.holdP95Ns),
    `${showMs(through.jitterP95Ns)}, ${showMs(direct.jitterP95Ns)}`,
    together,
    String(through.heldBytes),
    through.headNs === undefined ? ABSENT : showMs(added(card, 'headNs')),
    `${showMs(through.abortNs)}, ${showMs(direct.abortNs)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function changeLines(cases: readonly CaseCard[]): string[] {
  const heads = new Set(cases.flatMap(({ headChanges }) => headChanges));
  const head =
    heads.size === 0
      ? 'Head: nothing.'
      : `Head: ${[...heads]
          .toSorted()
          .map((each) => `\`${each}\``)
          .join(' ')}`;
  const bodies = cases
    .filter(({ changes }) => changes.length > 0)
    .map(({ title, changes }) => `- ${title}: ${changes.map((change) => GRADE_CHANGES[change]).join('; ')}`);
  return [head, '', ...(bodies.length === 0 ? ['Body: nothing.'] : bodies)];
}
