// When nothing can be said: too little came, something of it was lost, or what gathered the text was on this
// side of the engine's connection.
import { startsTogether } from './passes.ts';
import { commonNumbers, ratio, type Finding, type Shape } from './shape.ts';

const EVENTS_LEAST = 12;
const OURS_MOST_RATIO = 0.25;
/** Parsers hold the parts of a tool call and write them at once; what is left says little about the rest. */
const TOOL_MOST_RATIO = 0.7;

const SINGLE_LEAST_RATIO = 0.5;

/** Reads before the loss may have held anything, so neither sizes nor numbers are what was sent. */
export function judgeLoss(shape: Shape): Finding | undefined {
  const { record } = shape;
  const lost =
    record.doubts.some((doubt) => LOSSES.has(doubt)) || record.response.chunkCount > record.chunks.bytes.length;
  return lost ? unsure(shape, 'not_all_seen') : undefined;
}

const LOSSES: ReadonlySet<string> = new Set(['tape_bytes', 'tape_chunks', 'log_full', 'parse_overflow', 'unreadable']);

export function judgeFew(shape: Shape): Finding | undefined {
  return shape.arrivals.eventCount < EVENTS_LEAST * shape.arrivals.choiceCount
    ? unsure(shape, 'few_events')
    : undefined;
}

export function judgeOurs(shape: Shape): Finding | undefined {
  return shape.oursRatio > OURS_MOST_RATIO ? unsure(shape, 'own_side_held') : undefined;
}

export function judgeToolCalls(shape: Shape): Finding | undefined {
  const { textCount, eventCount } = shape.arrivals;
  return 1 - ratio(textCount, eventCount) > TOOL_MOST_RATIO ? unsure(shape, 'tool_calls') : undefined;
}

/** The last line of the table. */
export function judgeRest(shape: Shape): Finding {
  if (shape.heldRatio === 0) return unsure(shape, 'no_clear_shape');
  const onlyStart = startsTogether(shape) && shape.singleRatio >= SINGLE_LEAST_RATIO;
  return unsure(shape, onlyStart ? 'start_together' : 'some_bursts');
}

function unsure(shape: Shape, sign: string): Finding {
  return { word: 'unsure', signs: [sign], numbers: commonNumbers(shape), ample: false };
}
