// The doubts of a record that its stream gives rise to. A machine that is busy with other tests makes stamps late, one
// that is virtual has its clock set now and then, and rubato says so; that is not what most tests ask about.
import type { Doubt } from '../../src/record/kinds.ts';
import type { StreamRecord } from '../../src/record/stream-record.ts';

const OF_THE_MACHINE: ReadonlySet<Doubt> = new Set(['loop_lag', 'cpu_throttled', 'clock_step']);

export function doubtsOfStream({ doubts }: Pick<StreamRecord, 'doubts'>): Doubt[] {
  return doubts.filter((doubt) => !OF_THE_MACHINE.has(doubt));
}
