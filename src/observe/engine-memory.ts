// Remembers which engine answered for a model on a route, because many answers do not say: vLLM names
// itself only where usage is on. Keyed by model as well, since one gateway can stand before several.
import { ENGINE_MEMORY_MAX_COUNT } from '../base/limits.ts';
import type { EngineFacts, EngineName } from '../record/engines.ts';

/** The engine whose metrics a route's upstream serves; undefined when none are known. */
export type EngineByMetrics = (route: string) => EngineName | undefined;

export class EngineMemory {
  readonly #byMetrics: EngineByMetrics;
  readonly #shown = new Map<string, EngineFacts>();

  constructor(byMetrics: EngineByMetrics) {
    this.#byMetrics = byMetrics;
  }

  /** What this answer showed, else what an earlier one did, else what the metrics tell. */
  recall(route: string, model: string | undefined, shown: EngineFacts | undefined): EngineFacts | undefined {
    const earlier = this.#shown.get(keyOf(route, model));
    if (shown !== undefined) {
      const known = withVersion(shown, earlier);
      this.#remember(keyOf(route, model), known);
      return known;
    }
    if (earlier !== undefined) return { ...earlier, by: 'earlier' };
    const name = this.#byMetrics(route);
    return name === undefined ? undefined : { name, by: 'metrics' };
  }

  /** Another engine is behind a route from now on. */
  forget(route: string): void {
    for (const key of this.#shown.keys()) if (key.startsWith(keyOf(route, ''))) this.#shown.delete(key);
  }

  #remember(key: string, shown: EngineFacts): void {
    this.#shown.delete(key);
    this.#shown.set(key, shown);
    if (this.#shown.size <= ENGINE_MEMORY_MAX_COUNT) return;
    const [oldest] = this.#shown.keys();
    if (oldest !== undefined) this.#shown.delete(oldest);
  }
}

/** Some routes tell the version and others only the name (llama.cpp's for Anthropic's API). */
function withVersion(shown: EngineFacts, earlier: EngineFacts | undefined): EngineFacts {
  const known = shown.version === undefined && earlier?.name === shown.name ? earlier.version : undefined;
  return known === undefined ? shown : { ...shown, version: known };
}

function keyOf(route: string, model: string | undefined): string {
  return `${route}\n${model ?? ''}`;
}
