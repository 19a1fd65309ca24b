// Which model names may be labels. A name gets one only when it is configured, listed by the engine,
// or was served with success; a typo of a client never becomes a series.
import { MODELS_FOLDED_MAX_COUNT, MODELS_MAX_COUNT, NAME_MAX_CHARS } from '../base/limits.ts';

export const OTHER_MODEL = 'other';

/** Control, format and private characters, lone surrogates, and separators of lines and paragraphs. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

export class ModelLabels {
  #names: Set<string>;
  /** Names that came too late for a label of their own, as far as they are told apart. */
  readonly #folded = new Set<string>();

  constructor(configured: readonly string[]) {
    this.#names = new Set(configured.slice(0, MODELS_MAX_COUNT));
  }

  /** Other names are configured now. They come first; of the others those stay for which there is room. */
  configure(configured: readonly string[]): void {
    this.#names = new Set([...new Set([...configured, ...this.#names])].slice(0, MODELS_MAX_COUNT));
  }

  get foldedCount(): number {
    return this.#folded.size;
  }

  /** The label for a model as named in a request. */
  labelOf(model: string | undefined): string {
    return model !== undefined && this.#names.has(model) ? model : OTHER_MODEL;
  }

  /** Takes a name that the engine vouches for. */
  admit(model: string | undefined): void {
    if (model === undefined || model === '' || this.#names.has(model)) return;
    // Names go into lines of text, and not everybody who reads these splits them at line feeds only.
    const fits = this.#names.size < MODELS_MAX_COUNT && !UNPRINTABLE.test(model);
    if (fits) this.#names.add(model);
    else if (this.#folded.size < MODELS_FOLDED_MAX_COUNT) this.#folded.add(model.slice(0, NAME_MAX_CHARS));
  }
}
