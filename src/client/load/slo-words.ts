// Objectives as words of a command line: `ttft=800ms`, `chat:gap_p99=100ms@0.99`, `valid@99%`. They become what YAML
// says of a class, so that one place knows what an objective may be. Pure.

const SHARE_DEFAULT = 0.95;
/** End to end is promised for answers up to a length; here the run says itself how long they are. */
const ANY_LENGTH_TOKENS = 100_000_000;
const MS_OF_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1_000, '': 1 };

export const SLO_HELP = 'ttft=800ms, ttfo, gap_max, gap_p99, gap_pooled_p99, tpot, e2e, valid, served';

export interface SloWord {
  /** Absent: of every class. */
  readonly class?: string;
  /** As YAML has it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Words separated by commas; a sentence that says what is wrong with the first bad one. */
export function readSloWords(text: string): readonly SloWord[] | string {
  const words: SloWord[] = [];
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const word = readWord(part.trim());
    if (typeof word === 'string') return word;
    words.push(word);
  }
  return words.length > 0 ? words : 'expected objectives such as ttft=800ms,gap_p99=100ms@0.99';
}

function readWord(part: string): SloWord | string {
  const match = /^(?:([A-Za-z0-9_.-]+):)?([a-z0-9_]+)(?:=(\d+(?:\.\d+)?)(ms|s|))?(?:@(\d+(?:\.\d+)?)(%?))?$/.exec(part);
  if (match === null) return `"${part.slice(0, 80)}" is no objective such as ttft=800ms or gap_p99=100ms@0.99`;
  const [, name, figure = '', amount, unit = '', share, percent] = match;
  const isPooled = figure.startsWith('gap_pooled_');
  const stated = share === undefined ? SHARE_DEFAULT : Number(share) / (percent === '%' ? 100 : 1);
  const raw = {
    objective: figure,
    ...(amount !== undefined && { max_ms: Number(amount) * (MS_OF_UNIT[unit] ?? 1) }),
    // A pooled percentile is a share itself.
    ...((!isPooled || share !== undefined) && { target: Number(stated.toFixed(6)) }),
    ...(figure === 'e2e' && { output_tokens_max: ANY_LENGTH_TOKENS }),
  };
  return { ...(name !== undefined && { class: name }), raw };
}
