// What the head of an answer says of itself, for the record: status, framing, type, coding and signs of hops.
import type { Framing } from '../base/outcome.ts';
import type { Doubt } from '../record/kinds.ts';
import type { ResponseFacts } from '../record/stream-record.ts';
import { fieldValue } from '../base/fields.ts';
import { hopSignsOf } from './hop-signs.ts';
import { parseMediaType } from './media-type.ts';

const MEDIA_TYPE_MAX_CHARS = 64;
const ENCODING_MAX_CHARS = 32;

export interface ReceivedHead {
  readonly status: number;
  readonly framing: Framing;
  /** Names and values in turn, as received. */
  readonly fields: readonly string[];
}

/** Notes it where it belongs. */
export function noteHead({ status, framing, fields }: ReceivedHead, response: ResponseFacts, doubts: Set<Doubt>): void {
  response.status = status;
  response.framing = framing;
  const mediaType = parseMediaType(fieldValue(fields, 'content-type'))?.slice(0, MEDIA_TYPE_MAX_CHARS);
  const encoding = fieldValue(fields, 'content-encoding')?.slice(0, ENCODING_MAX_CHARS);
  const hopSigns = hopSignsOf(fields);
  if (mediaType !== undefined) response.mediaType = mediaType;
  if (encoding !== undefined) response.encoding = encoding;
  if (hopSigns !== undefined) response.hopSigns = hopSigns;
  if (framing === 'close_delimited') doubts.add('close_delimited');
  if (framing === 'conflict') doubts.add('framing_conflict');
}
