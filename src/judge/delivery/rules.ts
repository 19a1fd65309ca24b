// The rules of one point in the order in which they are asked, and how far each is to be trusted; the first
// that has something to say decides. A new rule is one file and one line here.
//
// The confidences are those of the study in test/unit/judge/delivery/study.test.ts (seeded streams of known
// making, held and not): the share of cases in which the rule's word was right, by the rule of three where none
// was wrong, rounded down. They hold for streams like those, and the study fails when a rule falls below them.
import type { StreamRecord } from '../../record/stream-record.ts';
import type { DeliveryVerdict } from './verdict.ts';
import { judgeCompression } from './compression.ts';
import { judgeEven } from './even.ts';
import { judgeFew, judgeLoss, judgeOurs, judgeRest, judgeToolCalls } from './gates.ts';
import { judgeHead } from './head.ts';
import { judgePasses } from './passes.ts';
import { judgeRechunk } from './rechunk.ts';
import { type Finding, shapeOf, type Shape } from './shape.ts';
import { judgeSize } from './size.ts';
import { judgeTimer } from './timer.ts';
import { judgeUntilEnd } from './until-end.ts';

interface Rule {
  readonly judge: (shape: Shape) => Finding | undefined;
  /** With little to see, and with much. */
  readonly confidence: readonly [little: number, ample: number];
}

const RULES: readonly Rule[] = [
  { judge: judgeLoss, confidence: [0, 0] },
  { judge: judgeFew, confidence: [0, 0] },
  { judge: judgeOurs, confidence: [0, 0] },
  { judge: judgeUntilEnd, confidence: [0.95, 0.98] },
  { judge: judgeToolCalls, confidence: [0, 0] },
  { judge: judgeSize, confidence: [0.95, 0.98] },
  { judge: judgeCompression, confidence: [0.95, 0.98] },
  { judge: judgeTimer, confidence: [0.9, 0.95] },
  { judge: judgeEven, confidence: [0.8, 0.9] },
  { judge: judgeRechunk, confidence: [0.8, 0.9] },
  { judge: judgeHead, confidence: [0.9, 0.95] },
  { judge: judgePasses, confidence: [0.8, 0.95] },
  { judge: judgeRest, confidence: [0, 0] },
];

/** Undefined where there is no stream of text to judge. */
export function judgeDelivery(record: StreamRecord): DeliveryVerdict | undefined {
  const { status } = record.response;
  if (!record.answer.streamed || status === undefined || status < 200 || status > 299) return undefined;
  const shape = shapeOf(record);
  if (shape.arrivals.eventCount === 0) return undefined;
  for (const { judge, confidence } of RULES) {
    const finding = judge(shape);
    if (finding === undefined) continue;
    const { ample, ...said } = finding;
    // Nobody can be right or wrong in being unsure.
    return { ...said, confidence: said.word === 'unsure' ? 0 : confidence[ample ? 1 : 0] };
  }
  return undefined;
}
