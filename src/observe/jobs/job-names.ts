// What a client says of the batch job that a request belongs to. Only what can be trusted to be short and plain is
// taken: an id goes onto spans and into records.
import { JOB_ID_MAX_CHARS, JOB_SIZE_MAX_COUNT } from '../../base/demand-limits.ts';
import { fieldValue } from '../../base/fields.ts';

const ID_FIELD = 'x-job-id';
const SIZE_FIELD = 'x-job-size';

export interface JobName {
  readonly id: string;
  readonly size?: number;
}

/** Undefined when no job is named, or by an id that cannot be one. */
export function jobName(fields: readonly string[]): JobName | undefined {
  const id = fieldValue(fields, ID_FIELD)?.trim() ?? '';
  if (id.length > JOB_ID_MAX_CHARS || !/^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(id)) return undefined;
  const size = sizeOf(fieldValue(fields, SIZE_FIELD)?.trim() ?? '');
  return size === undefined ? { id } : { id, size };
}

function sizeOf(text: string): number | undefined {
  if (!/^[1-9]\d{0,8}$/.test(text)) return undefined;
  const size = Number(text);
  return size <= JOB_SIZE_MAX_COUNT ? size : undefined;
}
