// Ids of spans. Those of the SERVER and CLIENT span were decided by the relay before the request
// went upstream (the engine's span already names ours as its parent), so the SDK must use them.
import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace';

export interface PresetIds {
  readonly traceId: string;
  readonly spanId: string;
}

export class PresetIdGenerator implements IdGenerator {
  #preset: PresetIds | undefined;
  readonly #random = new RandomIdGenerator();

  /**
   * Runs `start` with these ids for the one span it starts. Spans are started synchronously, so no
   * other span can take them.
   */
  using<Started>(preset: PresetIds, start: () => Started): Started {
    this.#preset = preset;
    try {
      return start();
    } finally {
      this.#preset = undefined;
    }
  }

  generateTraceId(): string {
    return this.#preset?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#preset?.spanId ?? this.#random.generateSpanId();
  }
}
