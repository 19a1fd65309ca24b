// An exchange that has ended, as the memory of failed tries wants to know it.
import { defined } from '../../measure/defined.ts';
import type { StreamRecord } from '../../record/stream-record.ts';
import type { ObservedExchange } from '../observed-exchange.ts';
import type { EndedTry } from './failed-tries.ts';
import { keyPrint } from './fingerprint.ts';
import { statedRetries } from './stated-tries.ts';

export function endedTry({ opening, asked }: ObservedExchange, record: StreamRecord, endedAtNs: number): EndedTry {
  return {
    id: record.id,
    openedAtNs: opening.openedAtNs,
    endedAtNs,
    failed: record.end.outcome !== 'ok',
    ...defined({
      keyPrint: keyPrint(opening),
      bodyPrint: asked.bodyPrint,
      statedRetries: statedRetries(opening.fields),
    }),
  };
}
