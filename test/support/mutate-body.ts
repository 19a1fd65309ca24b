// Makes the body of a vector wrong: the JSON of some of its messages, in the framing it came in, or its
// bytes whatever they mean.
import { chunkFrame, eventFrame } from './aws-frames.ts';
import { mutateJson, pick, type Random } from './mutate-json.ts';
import type { Vector } from './vectors.ts';

const PRELUDE_BYTES = 12;
const EVENT_TYPE = ':event-type';

/** A body of the vector's framing with wrong messages in it. */
export function mutateMessages({ body, head }: Vector, random: Random): Buffer {
  const mediaType = head.mediaType ?? '';
  if (mediaType === 'application/vnd.amazon.eventstream') return mutateFrames(body, random);
  const text = body.toString();
  if (mediaType === 'text/event-stream') {
    return Buffer.from(text.replaceAll(/^(data: ?)(.*)$/gm, (_, name, data) => name + sometimes(data, random)));
  }
  if (mediaType.endsWith('ndjson')) return Buffer.from(text.replaceAll(/^.+$/gm, (line) => sometimes(line, random)));
  return Buffer.from(mutateJson(text, random));
}

/** The body with bytes changed, left out, doubled, or put elsewhere. */
export function mutateBytes(body: Buffer, random: Random): Buffer {
  const [from = 0, to = 0] = [random(), random()].map((at) => Math.floor(at * body.length)).toSorted((a, b) => a - b);
  const [before, part, after] = [body.subarray(0, from), body.subarray(from, to), body.subarray(to)];
  const noise = Buffer.from(Array.from({ length: 20 }, () => Math.floor(random() * 256)));
  return pick(random, [
    () => Buffer.concat([before, after]),
    () => Buffer.concat([before, part, part, after]),
    () => Buffer.concat([part, before, after]),
    () => Buffer.concat([before, noise, after]),
    () => Buffer.concat([before, part.map((byte) => (random() < 0.1 ? byte ^ (1 << (byte & 7)) : byte)), after]),
    () => Buffer.concat([before, Buffer.alloc(part.length), after]),
  ])();
}

function sometimes(text: string, random: Random): string {
  return random() < 0.5 ? mutateJson(text, random) : text;
}

/** Frames are sealed anew: what is inside is wrong, not their checksums. */
function mutateFrames(body: Buffer, random: Random): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at + PRELUDE_BYTES < body.length;) {
    const end = at + body.readUInt32BE(at);
    frames.push(mutateFrame(body.subarray(at, end), random));
    at = end;
  }
  return Buffer.concat(frames);
}

function mutateFrame(bytes: Buffer, random: Random): Buffer {
  const payloadStart = PRELUDE_BYTES + bytes.readUInt32BE(4);
  const nameStart = bytes.indexOf(EVENT_TYPE);
  if (nameStart === -1 || random() < 0.5) return bytes;
  const lengthStart = nameStart + EVENT_TYPE.length + 1;
  const typeStart = lengthStart + 2;
  const type = bytes.toString('utf8', typeStart, typeStart + bytes.readUInt16BE(lengthStart));
  const payload = bytes.toString('utf8', payloadStart, bytes.length - 4);
  if (type !== 'chunk' || random() < 0.2) return eventFrame(type, mutateJson(payload, random));
  const inner = Buffer.from(JSON.parse(payload).bytes, 'base64').toString();
  return chunkFrame(mutateJson(inner, random));
}
