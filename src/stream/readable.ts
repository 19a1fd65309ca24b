// Whether the bytes of an answer are worth copying at all. Small on purpose: the side that decides
// about copies asks this before there is a reader.
import { framingFor } from './framings.ts';
import { parseMediaType } from './media-type.ts';

/** Takes a media type with or without parameters, in any case. */
export function isReadableMediaType(mediaType: string | undefined): boolean {
  return framingFor(parseMediaType(mediaType)) !== undefined;
}
