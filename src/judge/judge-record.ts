// A frozen record → all figures and verdicts that follow from it. Pure: the same record gives the same, bit for bit,
// when its exchange ends and whenever it is read again.
import { defined } from '../measure/defined.ts';
import type { Figures } from '../measure/figures.ts';
import { measureRecord } from '../measure/measure-record.ts';
import type { StreamRecord } from '../record/stream-record.ts';
import { judgeStalls } from './causes/judge-stall.ts';
import type { StallVerdict } from './causes/verdict.ts';
import { judgeDelivery } from './delivery/rules.ts';
import type { DeliveryVerdict, HopVerdict } from './delivery/verdict.ts';
import { judgeHop } from './hop/judge-hop.ts';
import { judgeSlo } from './slo/judge-slo.ts';
import type { SloVerdict } from './slo/verdict.ts';

export interface Judged {
  readonly figures: Figures;
  readonly delivery: DeliveryVerdict | undefined;
  readonly hop: HopVerdict | undefined;
  readonly slo: SloVerdict | undefined;
  readonly stalls: readonly StallVerdict[];
}

export function judgeRecord(record: StreamRecord): Judged {
  const figures = measureRecord(record);
  const delivery = judgeDelivery(record);
  const hop = judgeHop(record);
  const slo = judgeSlo(record, figures);
  return { figures, delivery, hop, slo, stalls: judgeStalls(record, defined({ delivery, hop })) };
}
