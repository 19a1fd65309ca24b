// Which model names may be labels. A name gets one only when it is configured, listed by the engine,
// or was served with success; a typo of a client never becomes a series.
import { MODELS_MAX_COUNT } from '../base/limits.ts';

export const OTHER_MODEL = 'other';

export class ModelLabels {
  readonly #names: Set<string>;
  /** Names that came too late for a label of their own. */
  foldedCount = 0;

  constructor(configured: readonly string[]) {
    this.#names = new Set(configured.slice(0, MODELS_MAX_COUNT));
  }

  /** The label for a model as named in a request. */
  labelOf(model: string | undefined): string {
    return model !== undefined && this.#names.has(model) ? model : OTHER_MODEL;
  }

  /** Takes a name that the engine vouches for. */
  admit(model: string | undefined): void {
    if (model === undefined || model === '' || this.#names.has(model)) return;
    if (this.#names.size >= MODELS_MAX_COUNT) this.foldedCount += 1;
    else this.#names.add(model);
  }
}
