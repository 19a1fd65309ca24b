// What the head of an answer says of itself, for the record: status, framing, type, coding and signs of hops.
import type { Doubt } from '../record/kinds.ts';
import type { ResponseFacts } from '../record/stream-record.ts';
import { fieldValue } from '../base/fields.ts';
import { hopSignsOf } from '../stream/hop-signs.ts';
import { parseMediaType } from '../stream/media-type.ts';
import type { HeadEntry } from '../tape/entries.ts';

const MEDIA_TYPE_MAX_CHARS = 64;
const ENCODING_MAX_CHARS = 32;

/** Notes it where it belongs. */
export function noteHead({ status, framing, fields }: HeadEntry, response: ResponseFacts, doubts: Set<Doubt>): void {
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
