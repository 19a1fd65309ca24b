// The table of framings. Adding one is a file in framings/ and a line here; a body that no line
// reads is opaque: its bytes are counted and stamped, its meaning stays unknown.
import type { FramingKind } from './framing.ts';
import { ndjson } from './framings/ndjson.ts';
import { plainJson } from './framings/plain-json.ts';
import { sse } from './framings/sse.ts';

const FRAMINGS: readonly FramingKind[] = [sse, ndjson, plainJson];

/** The framing for a media type (lower case, no parameters); undefined for opaque bodies. */
export function framingFor(mediaType: string | undefined): FramingKind | undefined {
  return mediaType === undefined ? undefined : FRAMINGS.find((kind) => kind.reads(mediaType));
}
