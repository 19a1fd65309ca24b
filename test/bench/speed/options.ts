// The command line of the speed bench. Pure; a fault is an error that says what there is to choose from.
import { parseArgs } from 'node:util';

export interface SpeedOptions {
  readonly scenarios: readonly string[];
  readonly contenders: readonly string[];
  readonly turnCount: number;
  /** Of the lengths of windows. */
  readonly scale: number;
}

export interface Choice {
  readonly scenarios: readonly string[];
  readonly contenders: readonly string[];
}

const TURN_COUNT = 5;
const QUICK_TURN_COUNT = 2;
const QUICK_SCALE = 0.34;
const TURNS_MAX_COUNT = 99;

/** Throws when something is asked for that is not there. */
export function readOptions(args: readonly string[], all: Choice): SpeedOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string' },
      contender: { type: 'string' },
      turns: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const contenders = choose('contender', values.contender, all.contenders);
  return {
    scenarios: choose('scenario', values.scenario, all.scenarios),
    // Nothing can be said of what a proxy adds without the way that has none.
    contenders: all.contenders.filter((key) => key === 'direct' || contenders.includes(key)),
    turnCount: values.turns === undefined ? (values.quick ? QUICK_TURN_COUNT : TURN_COUNT) : turnsOf(values.turns),
    scale: values.quick ? QUICK_SCALE : 1,
  };
}

function choose(what: string, asked: string | undefined, all: readonly string[]): readonly string[] {
  if (asked === undefined) return all;
  const words = asked.split(',');
  const unknown = words.filter((word) => !all.includes(word));
  if (unknown.length > 0) {
    throw new Error(`There is no ${what} ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  }
  return all.filter((each) => words.includes(each));
}

function turnsOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= TURNS_MAX_COUNT) return count;
  throw new Error(`--turns takes a whole number from 1 to ${TURNS_MAX_COUNT}, not ${text}.`);
}
