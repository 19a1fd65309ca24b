// Model names that an engine lists, read from the answers to clients' own `GET /v1/models` as they
// pass. Nothing is ever asked on our own account.
import { JSON_ANSWER_MAX_BYTES, NAME_MAX_CHARS } from '../base/limits.ts';
import { asArray, asObject, parseJson } from '../stream/json-value.ts';

const LIST_PATH = /\/v1\/models\/?$/;

/** Collects one list as it comes; undefined for any other exchange. */
export function createModelList(method: string, path: string, status: number): ModelList | undefined {
  return method === 'GET' && status === 200 && LIST_PATH.test(path) ? new ModelList() : undefined;
}

export class ModelList {
  #pieces: Buffer[] = [];
  #byteCount = 0;

  /** Takes a piece of the answer; the memory may be used again afterwards. */
  feed(bytes: Uint8Array): void {
    this.#byteCount += bytes.length;
    if (this.#byteCount > JSON_ANSWER_MAX_BYTES) this.#pieces = [];
    else this.#pieces.push(Buffer.from(bytes));
  }

  /** The names, in the engine's order; empty when the answer was no list (a compressed one is not read). */
  names(): string[] {
    // What is not JSON after all teaches nothing, and the exchange's own reading says so.
    const list = asObject(parseJson(Buffer.concat(this.#pieces).toString()));
    return (asArray(list?.['data']) ?? [])
      .map((entry) => asObject(entry)?.['id'])
      .filter((id) => typeof id === 'string')
      .filter((id) => id.length <= NAME_MAX_CHARS);
  }
}
