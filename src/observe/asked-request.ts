// What an exchange asked for: the copied pieces of its body, read once the upload has ended and then let go of.
import { fieldValue } from '../base/fields.ts';
import { defined } from '../measure/defined.ts';
import { readRequest, type RequestReading } from '../stream/request-reader.ts';
import type { TextCapture } from '../stream/text-capture.ts';
import type { OpenEntry } from '../tape/entries.ts';
import { bodyPrint } from './demand/fingerprint.ts';
import { RequestAssembly } from './request-assembly.ts';

export class AskedRequest {
  readonly #opening: OpenEntry;
  readonly #path: string;
  readonly #capture: TextCapture | undefined;
  readonly #assembly = new RequestAssembly();
  #reading: RequestReading | undefined;
  /** Bytes of its body received by now. */
  byteCount = 0;
  /** By what a retry of it is known; undefined of a body that is not known whole. */
  bodyPrint: string | undefined;

  constructor(opening: OpenEntry, path: string, capture: TextCapture | undefined) {
    this.#opening = opening;
    this.#path = path;
    this.#capture = capture;
  }

  /** What the request says of itself, as far as it was copied by now. */
  get reading(): RequestReading {
    if (this.#reading !== undefined) return this.#reading;
    const { fields } = this.#opening;
    const copy = { ...this.#assembly.copy(this.byteCount), ...defined({ capture: this.#capture }) };
    return readRequest(copy, fieldValue(fields, 'content-type'), fieldValue(fields, 'content-encoding'), this.#path);
  }

  onBytes(offset: number, bytes: Uint8Array): void {
    this.#assembly.add(offset, bytes);
    this.byteCount = Math.max(this.byteCount, offset + bytes.length);
  }

  onUploaded(totalBytes: number): void {
    this.byteCount = totalBytes;
    this.#reading = this.reading;
    this.bodyPrint = bodyPrint(this.#opening, this.#assembly.whole(totalBytes));
    this.#assembly.clear();
  }

  /** Nothing more comes, whether or not the upload had ended. */
  onEnd(totalBytes: number): void {
    this.byteCount = totalBytes;
    this.#reading ??= this.reading;
  }
}
