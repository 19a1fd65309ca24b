// How far a run is, in one line: redrawn in its place on a terminal, elsewhere a new one every few seconds.
import { nowNs } from '../../base/clock.ts';
import { showCount } from '../spread.ts';
import type { LoadProgress } from './options.ts';

const BAR_CELLS = 24;
const REDRAW_MS = 200;
const LINE_EVERY_MS = 5_000;
const NS_PER_S = 1e9;

export interface ProgressPlace {
  /** Redraws its line; absent where there is no terminal. */
  readonly redraw?: (text: string) => void;
  readonly line: (text: string) => void;
}

export interface Extent {
  /** Warm-up and run. */
  readonly wholeNs: number;
  /** Requests that end it, where no time does. */
  readonly count: number | undefined;
}

export class ProgressLine {
  readonly #place: ProgressPlace;
  readonly #extent: Extent;
  readonly #title: string;
  readonly #timer: NodeJS.Timeout;
  readonly #startedAtNs = nowNs();
  #latest: LoadProgress | undefined;

  constructor(place: ProgressPlace, extent: Extent, title = '') {
    this.#place = place;
    this.#extent = extent;
    this.#title = title;
    const tell = place.redraw ?? place.line;
    this.#timer = setInterval(() => tell(this.#text()), place.redraw === undefined ? LINE_EVERY_MS : REDRAW_MS);
  }

  note(progress: LoadProgress): void {
    this.#latest = progress;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#place.redraw?.('');
  }

  #text(): string {
    if (this.#latest === undefined) return this.#title;
    return progressText({ ...this.#latest, elapsedNs: nowNs() - this.#startedAtNs }, this.#extent, this.#title);
  }
}

/** Time goes on between two starts or ends, so it is that of the drawing; since the run began. */
type ProgressNow = LoadProgress & { readonly elapsedNs: number };

export function progressText(progress: ProgressNow, { wholeNs, count }: Extent, title: string): string {
  const { elapsedNs, sentCount, openCount, failedCount, textEventCount } = progress;
  const share = Math.min(1, count === undefined ? elapsedNs / wholeNs : progress.endedCount / count);
  const filled = Math.round(share * BAR_CELLS);
  const phase = progress.draining ? 'waiting for the last' : progress.warmingUp ? 'warming up' : 'sending';
  const seconds = elapsedNs / NS_PER_S;
  return [
    `${title}[${'#'.repeat(filled)}${'.'.repeat(BAR_CELLS - filled)}] ${seconds.toFixed(0)} s ${phase}`,
    `sent ${showCount(sentCount)}`,
    `open ${showCount(openCount)}`,
    `failed ${showCount(failedCount)}`,
    `text events/s ${seconds > 0 ? (textEventCount / seconds).toFixed(0) : '0'}`,
  ].join(', ');
}
