// Results of all hops as one Markdown table.
import type { HopResult } from '../measure.ts';

const NO_BREAK = '–';

function cell(value: number | undefined): string {
  if (value === undefined) return NO_BREAK;
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function row(result: HopResult): string {
  const { name, version, title, word, way, rhythms, abortMs, headChanges, load } = result;
  const holds = ['steady', 'bursts', 'stalling'].map((rhythm) => {
    const figures = rhythms[rhythm];
    return figures === undefined
      ? NO_BREAK
      : [figures.holdP50Ms, figures.holdP95Ms, figures.holdMaxMs].map((each) => cell(each)).join(' / ');
  });
  const cells = [
    `${name} ${version}`,
    title,
    way === undefined ? word : `${word} by ${way}`,
    ...holds,
    cell(rhythms['steady']?.ttftAddedMs),
    cell(rhythms['steady']?.headHoldMs),
    cell(abortMs),
    headChanges.length === 0 ? NO_BREAK : headChanges.map((each) => `\`${each}\``).join(' '),
    String(load),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function tableOf(results: readonly HopResult[]): string {
  const names = [
    'recipe, version',
    'what it is',
    'verdict',
    'steady: hold p50 / p95 / max, ms',
    'bursts',
    'stalling',
    'TTFT added, ms',
    'head held, ms',
    'abort, ms',
    'head',
    'load',
  ];
  const lines = [`| ${names.join(' | ')} |`, `| ${names.map(() => '---').join(' | ')} |`];
  return `${[...lines, ...results.map((result) => row(result))].join('\n')}\n`;
}

/** For the people who read the recipe: what each variant does, and which one cures it. */
export function productTable(results: readonly HopResult[], cures: ReadonlyMap<string, string>): string {
  const names = ['variant', 'what it is', 'verdict', 'hold p50 / p95 / max, ms', 'head held, ms', 'cure'];
  const rows = results.map(({ name, title, word, way, rhythms }) => {
    const steady = rhythms['steady'];
    const holds = [steady?.holdP50Ms, steady?.holdP95Ms, steady?.holdMaxMs].map((each) => cell(each)).join(' / ');
    const verdict = way === undefined ? word : `${word} by ${way}`;
    const cells = [name.split('/')[1], title, verdict, holds, cell(steady?.headHoldMs), cures.get(name) ?? NO_BREAK];
    return `| ${cells.join(' | ')} |`;
  });
  const head = [`| ${names.join(' | ')} |`, `| ${names.map(() => '---').join(' | ')} |`];
  const version = results[0]?.version ?? 'unknown';
  const what = `Version ${version}, a token every 20 ms, the head 300 ms before the first; loopback.`;
  return `${what}\n\n${[...head, ...rows].join('\n')}\n`;
}
