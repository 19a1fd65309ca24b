// The terminal while the picture is on it: takes the whole of it, gives back what was there before, and tells of keys
// and of a new size. Knows nothing of the picture.
import type { ReadStream, WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';

/** The other screen that terminals have, an empty one, and the cursor (xterm control sequences). */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[2J\u001b[H';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const WIPE = '\u001b[2J\u001b[H';
const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;

export interface ScreenListener {
  onKeys(text: string): void;
  onResize(): void;
  /** Nobody sits there any more. */
  onGone(): void;
}

export class Screen {
  readonly #input: ReadStream | undefined;
  readonly #output: WriteStream;
  readonly #listener: ScreenListener;
  readonly #draw: ReturnType<typeof createLogUpdate>;
  #isOpen = false;

  /** Without an input there are no keys, as where the standard input is a file. */
  constructor(output: WriteStream, input: ReadStream | undefined, listener: ScreenListener) {
    this.#output = output;
    this.#input = input;
    this.#listener = listener;
    // The cursor is ours: the library would hide it by way of stderr, which may be elsewhere.
    this.#draw = createLogUpdate(output, { showCursor: true });
  }

  get hasKeys(): boolean {
    return this.#input !== undefined;
  }

  /** Rows that can be drawn: the library ends each picture with a line end, which takes one. */
  get size(): { readonly columns: number; readonly rows: number } {
    const { columns = COLUMNS_DEFAULT, rows = ROWS_DEFAULT } = this.#output;
    // A terminal that says 0 does not know.
    return {
      columns: columns > 0 ? columns : COLUMNS_DEFAULT,
      rows: Math.max(1, (rows > 0 ? rows : ROWS_DEFAULT) - 1),
    };
  }

  open(): void {
    this.#isOpen = true;
    this.#output.write(ENTER);
    this.#output.on('resize', this.#onResize);
    process.once('exit', this.#restore);
    this.#input?.setRawMode(true);
    this.#input?.setEncoding('utf8').on('data', this.#onData).once('end', this.#onEnd).once('error', this.#onEnd);
    this.#input?.resume();
  }

  draw(lines: readonly string[]): void {
    if (this.#isOpen) this.#draw(lines.join('\n'));
  }

  close(): void {
    process.removeListener('exit', this.#restore);
    this.#output.removeListener('resize', this.#onResize);
    this.#input?.removeListener('data', this.#onData).removeListener('end', this.#onEnd).pause();
    this.#restore();
  }

  readonly #restore = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#draw.done();
    this.#output.write(LEAVE);
    this.#input?.setRawMode(false);
  };

  readonly #onData = (text: string | Buffer): void => this.#listener.onKeys(String(text));
  readonly #onEnd = (): void => this.#listener.onGone();

  /** What the terminal made of the old picture is unknown, so the new one begins on an empty screen. */
  readonly #onResize = (): void => {
    this.#draw.done();
    this.#output.write(WIPE);
    this.#listener.onResize();
  };
}
