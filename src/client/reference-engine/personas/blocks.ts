// An answer as a row of blocks: dialects with typed events open and close a block around all fragments
// of one kind that follow each other. Knows no dialect's words.
import type { ChoicePlan, Fragment } from '../answer.ts';

export type BlockKind = 'reasoning' | 'text' | 'tool';

/** One fragment with what happens to its block. */
export interface BlockStep {
  readonly fragment: Fragment;
  readonly kind: BlockKind;
  /** Number of the block, from 0. */
  readonly index: number;
  /** The fragment is the first, or the last, of its block. */
  readonly opens: boolean;
  readonly closes: boolean;
}

const KINDS = {
  reasoning: 'reasoning',
  text: 'text',
  tool_name: 'tool',
  tool_arguments: 'tool',
} as const satisfies Record<Fragment['channel'], BlockKind>;

/** The fragments of a choice in order, each with its block. */
export function blockSteps(choice: ChoicePlan): BlockStep[] {
  let index = -1;
  return choice.fragments.map((fragment, at) => {
    const kind = KINDS[fragment.channel];
    const before = choice.fragments[at - 1];
    const after = choice.fragments[at + 1];
    const opens = before === undefined || KINDS[before.channel] !== kind;
    if (opens) index += 1;
    return { fragment, kind, index, opens, closes: after === undefined || KINDS[after.channel] !== kind };
  });
}

/** All text of the block that a step closes. */
export function blockText(steps: readonly BlockStep[], index: number): string {
  return steps
    .map((step) => (step.index === index && step.fragment.channel !== 'tool_name' ? step.fragment.text : ''))
    .join('');
}

/** An event with its type said twice, as typed dialects do. */
export function typedEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The arguments of a tool in one piece; cut short it is no JSON, and then there is none. */
export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
