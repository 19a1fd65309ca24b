// The table of framings. Adding one is a file in framings/ and a line here; a body that no line
// reads is opaque: its bytes are counted and stamped, its meaning stays unknown.
import type { FramingKind } from './framing.ts';
import { awsEventStream } from './framings/aws-event-stream.ts';
import { jsonArray } from './framings/json-array.ts';
import { ndjson } from './framings/ndjson.ts';
import { plainJson } from './framings/plain-json.ts';
import { sse } from './framings/sse.ts';

/** The first that reads a body wins, so a streamed list stands before one JSON text. */
const FRAMINGS: readonly FramingKind[] = [sse, ndjson, awsEventStream, jsonArray, plainJson];

/** The framing for a media type (lower case, no parameters) and a path; undefined for opaque bodies. */
export function framingFor(mediaType: string | undefined, path: string): FramingKind | undefined {
  return mediaType === undefined ? undefined : FRAMINGS.find((kind) => kind.reads(mediaType, path));
}
