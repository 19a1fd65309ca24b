// Arrivals as a strip of characters, scaled to time: one cell is one length of time, and its mark says how many
// events with generated text came in it. Live on a terminal; elsewhere one line when the stream is over.
//
//   0.0 s |.........1.1.1.1.1....................#...|      held text is dots and then a #

/** Nothing came · something without text · 1 to 9 events with text · ten or more. */
function markOf(textEventCount: number | undefined): string {
  if (textEventCount === undefined) return '.';
  if (textEventCount === 0) return '-';
  return textEventCount < 10 ? String(textEventCount) : '#';
}

export interface Arrival {
  readonly atNs: number;
  readonly textEventCount: number;
}

const CELLS = 64;
const FIRST_CELL_NS = 25_000_000;
/** After so many lines a cell becomes twice as long, so that a minute's stream stays a page. */
const LINES_EACH_COUNT = 10;
const NS_PER_S = 1e9;

export const STRIP_LEGEND = '. nothing  - no text  1-9 events with text  # ten or more';

/** A whole stream in one line. */
export function stripOf(arrivals: readonly Arrival[], endAtNs: number): string {
  const cellNs = Math.max(1, Math.ceil(endAtNs / CELLS));
  const cells: (number | undefined)[] = Array.from({ length: CELLS });
  for (const { atNs, textEventCount } of arrivals) {
    const cell = Math.min(CELLS - 1, Math.floor(atNs / cellNs));
    cells[cell] = (cells[cell] ?? 0) + textEventCount;
  }
  return `|${cells.map(markOf).join('')}| ${(endAtNs / NS_PER_S).toFixed(2)} s`;
}

/** The strip of a stream that runs, line by line. `write` takes what is to stand on the terminal. */
export class LiveStrip {
  readonly #write: (text: string) => void;
  #cellNs = FIRST_CELL_NS;
  #lineStartNs = 0;
  #lineCount = 0;
  #cells: (number | undefined)[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add({ atNs, textEventCount }: Arrival): void {
    this.#advance(atNs);
    const cell = Math.floor((atNs - this.#lineStartNs) / this.#cellNs);
    this.#cells[cell] = (this.#cells[cell] ?? 0) + textEventCount;
    this.#draw(atNs);
  }

  /** Time went on without an arrival. */
  tick(nowNs: number): void {
    this.#advance(nowNs);
    this.#draw(nowNs);
  }

  end(nowNs: number): void {
    this.tick(nowNs);
    this.#write('\n');
  }

  /** Finishes lines until the moment is on the one at hand. */
  #advance(atNs: number): void {
    while (atNs >= this.#lineStartNs + CELLS * this.#cellNs) {
      this.#draw(this.#lineStartNs + CELLS * this.#cellNs - 1);
      this.#write('\n');
      this.#lineStartNs += CELLS * this.#cellNs;
      this.#cells = [];
      this.#lineCount += 1;
      if (this.#lineCount % LINES_EACH_COUNT === 0) this.#cellNs *= 2;
    }
  }

  #draw(nowNs: number): void {
    const count = Math.min(CELLS, Math.floor((nowNs - this.#lineStartNs) / this.#cellNs) + 1);
    const cells = Array.from({ length: count }, (_, index) => markOf(this.#cells[index]));
    this.#write(`\r${(this.#lineStartNs / NS_PER_S).toFixed(1).padStart(6)} s |${cells.join('')}`);
  }
}
