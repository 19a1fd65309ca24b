// Takes the content coding off a request body that is at hand as a whole, up to a cap.
import { REQUEST_DECODED_MAX_BYTES } from '../base/limits.ts';
import { openDecoder } from './content-coding.ts';

export interface DecodedBody {
  readonly bytes: Uint8Array;
  /** There would be more. */
  readonly cut: boolean;
}

/** Undefined when the coding is not known or the bytes are not of it. */
export function decodeWhole(bytes: Uint8Array, encoding: string | undefined): DecodedBody | undefined {
  const opened = openDecoder(encoding);
  if ('unreadable' in opened) return undefined;
  const { decoder } = opened;
  if (decoder === undefined) return { bytes, cut: false };
  const pieces: Buffer[] = [];
  let totalBytes = 0;
  const unreadable = decoder.decode(bytes, (piece) => {
    totalBytes += piece.length;
    // A piece is valid during the call only. One that passes the cap ends the decoding.
    if (totalBytes <= REQUEST_DECODED_MAX_BYTES) pieces.push(Buffer.from(piece));
    else decoder.close();
  });
  decoder.close();
  if (unreadable !== undefined) return undefined;
  return { bytes: Buffer.concat(pieces), cut: totalBytes > REQUEST_DECODED_MAX_BYTES };
}
