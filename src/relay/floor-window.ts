// The smallest value seen within a sliding window: the floor of TCP handshakes to one upstream.
import { WIRE_FLOOR_WINDOW_MS } from '../base/limits.ts';

const WINDOW_NS = WIRE_FLOOR_WINDOW_MS * 1e6;

/** Keeps only values that can still become the smallest, so a look is cheap and memory small. */
export class FloorWindow {
  readonly #values: { readonly atNs: number; readonly valueNs: number }[] = [];

  add(atNs: number, valueNs: number): void {
    while (this.#values.length > 0 && (this.#values.at(-1)?.valueNs ?? 0) >= valueNs) this.#values.pop();
    this.#values.push({ atNs, valueNs });
  }

  /** Undefined when nothing was seen in the window. */
  floorNs(atNs: number): number | undefined {
    while (this.#values.length > 0 && (this.#values[0]?.atNs ?? 0) < atNs - WINDOW_NS) this.#values.shift();
    return this.#values[0]?.valueNs;
  }
}
