// The parts of README.md that are made from tables in the code, so that the two cannot drift apart.
// `npm run docs` writes them, readme.test.ts checks them.
import { ERROR_CODES, type ErrorCode, REFUSALS } from '../../src/base/error-codes.ts';
import { ENGINE_ADVICE } from '../../src/evidence/advice.ts';
import { HOLD_MEANINGS, STALL_MEANINGS, type Meaning } from '../../src/judge/meanings.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { envName, KEY_NAMES, keySpec, STRUCTURED_KEYS } from '../../src/config/keys.ts';
import { prometheusName } from '../../src/telemetry/names.ts';
import { SPAN_ATTRIBUTES } from '../../src/telemetry/span-names.ts';
import { ALL_METRICS } from '../support/metric-samples.ts';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row))].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function keys(): string {
  const rows = KEY_NAMES.map((name) => {
    const { placeholder, fallback, isList, isSwitch, help } = keySpec(name);
    const value = isSwitch === true ? 'true|false' : `${placeholder}${isList === true ? ', …' : ''}`;
    const preset = fallback === undefined || fallback === '' ? '–' : code(fallback);
    return [code(name), code(envName(name)), code(value), preset, help];
  });
  const structured = Object.entries(STRUCTURED_KEYS).map(([name, help]) => [
    code(name),
    'YAML only',
    'list',
    '–',
    help,
  ]);
  return table(['key', 'variable', 'value', 'default', 'what it does'], [...rows, ...structured]);
}

function exitCodes(): string {
  return table(
    ['code', 'meaning'],
    Object.values(EXIT).map((exit) => [String(exit.code), exit.meaning]),
  );
}

function errorCodes(): string {
  const codes: readonly ErrorCode[] = [...Object.values(ERROR_CODES), ...REFUSALS];
  return table(
    ['code', 'status', 'whose fault', 'meaning'],
    codes.map((each) => [code(each.code), String(each.status), each.blame, each.message]),
  );
}

function metrics(): string {
  const rows = ALL_METRICS.map((spec) => {
    const labels = [...(spec.classed ? ['class', 'model'] : []), ...spec.labels];
    return [
      code(spec.name),
      code(prometheusName(spec)),
      `${spec.type}, ${spec.unit}`,
      labels.join(', ') || '–',
      spec.help,
    ];
  });
  return table(['name', 'on /metrics', 'type, unit', 'labels', 'what it says'], rows);
}

function attributes(): string {
  return table(
    ['attribute', 'what it says'],
    Object.entries(SPAN_ATTRIBUTES).map(([name, meaning]) => [code(name), meaning]),
  );
}

function engines(): string {
  const rows = ENGINE_ADVICE.map(({ title, switchOn, queue, prefill, tokens, cachedTokens, otherwise }) => [
    title,
    switchOn.length === 0 ? 'nothing' : switchOn.join(', '),
    `queue ${queue}, prefill ${prefill}`,
    cachedTokens === undefined ? tokens : `${tokens}; cached ones with ${cachedTokens}`,
    otherwise,
  ]);
  return table(['engine', 'switch on', 'what you get', 'token counts', 'without it'], rows);
}

function meanings(first: string, all: Readonly<Record<string, Meaning>>): string {
  const rows = Object.entries(all).map(([name, { means, cure }]) => [code(name), means, cure]);
  return table([first, 'it means', 'what usually cures it'], rows);
}

const BLOCKS: Readonly<Record<string, () => string>> = {
  keys,
  'exit-codes': exitCodes,
  'error-codes': errorCodes,
  metrics,
  attributes,
  engines,
  'hold-meanings': () => meanings('way', HOLD_MEANINGS),
  'stall-meanings': () => meanings('cause', STALL_MEANINGS),
};

export const BLOCK_NAMES = Object.keys(BLOCKS);

/** The text with every block between its two marks made anew. */
export function withBlocks(text: string): string {
  return text.replace(/(<!-- made from code: ([a-z-]+) -->)[\s\S]*?(<!-- end -->)/g, (whole, start, name, end) => {
    const make = BLOCKS[String(name)];
    return make === undefined ? whole : `${String(start)}\n\n${make()}\n\n${String(end)}`;
  });
}
