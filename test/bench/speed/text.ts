// The results of the speed bench as Markdown: a table a scenario, the targets, and who was left out. Pure.
import { median, short, spreadText } from '../harness/stats.ts';
import { tableText, type Table } from '../harness/report.ts';
import { FIGURES, TOOL_SHARE_MAX, type FigureKey, type Results, type Values } from './figures.ts';
import { isVoid, medianOf, type Judgement } from './targets.ts';

export interface Named {
  readonly key: string;
  readonly title: string;
}

const KEYS = Object.keys(FIGURES) as FigureKey[];

export function headOf({ title, unit }: { readonly title: string; readonly unit: string }): string {
  return unit === '' ? title : `${title}, ${unit}`;
}

/** `0.31 (0.25 to 0.37) +0.12`: median and extremes of the turns, and what it adds to the direct way. */
function cellOf(turns: readonly Values[], figure: FigureKey, direct: readonly Values[] | undefined): string {
  const values = turns.flatMap((each) => each[figure] ?? []);
  if (values.length === 0) return '–';
  const { beyond } = FIGURES[figure];
  if (beyond === undefined || direct === undefined || turns === direct) return spreadText(values);
  const addedMs = median(values) - medianOf(direct, beyond);
  return `${spreadText(values)} ${addedMs < 0 ? '−' : '+'}${short(Math.abs(addedMs))}`;
}

export function scenarioTable(title: string, played: Results[string], contenders: readonly Named[]): Table {
  const present = contenders.filter(({ key }) => (played[key]?.length ?? 0) > 0);
  const figures = KEYS.filter((figure) => present.some(({ key }) => played[key]?.some((each) => figure in each)));
  return {
    title,
    head: ['way', ...figures.map((figure) => headOf(FIGURES[figure]))],
    rows: present.map(({ key, title: name }) => {
      const turns = played[key] ?? [];
      const cells = figures.map((figure) => cellOf(turns, figure, played['direct']));
      return [isVoid(turns) ? `${name} (void)` : name, ...cells];
    }),
  };
}

export function targetTable(judgements: readonly Judgement[]): Table {
  return {
    title: 'Targets',
    head: ['figure', 'target', 'found', 'verdict'],
    rows: judgements.map(({ target, value, word }) => [
      target.what,
      `${target.isLeast === true ? '≥' : '≤'} ${short(target.limit)}`,
      short(value),
      word === 'NONE' ? 'not measured' : word,
    ]),
  };
}

export interface Report {
  readonly machine: string;
  readonly loadText: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly contenders: readonly Named[];
  readonly results: Results;
  readonly judgements: readonly Judgement[];
  readonly notes: readonly string[];
}

export function markdownOf({ machine, loadText, titles, contenders, results, judgements, notes }: Report): string {
  const tables = Object.entries(results).map(([letter, played]) =>
    scenarioTable(`(${letter}) ${titles[letter] ?? ''}`, played, contenders),
  );
  const isAnyVoid = Object.values(results).some((played) => Object.values(played).some((turns) => isVoid(turns)));
  return [
    '# Speed',
    '',
    `${machine}. ${loadText}`,
    '',
    'A cell is the median of the turns, their extremes, and behind the sign what the way adds to having no proxy.',
    ...(isAnyVoid
      ? [`Void: the load tool took more than ${TOOL_SHARE_MAX} of a core, so it may have been what was slow.`]
      : []),
    '',
    ...tables.map(tableText),
    ...(judgements.length > 0 ? [tableText(targetTable(judgements))] : []),
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n');
}
