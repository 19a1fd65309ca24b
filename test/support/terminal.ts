// A program on a terminal: a pseudo terminal that python3 opens, and the screen that a person would see, kept from what
// the program writes. Knows the few control sequences that ours writes, and fails on any other.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import stringWidth from 'string-width';
import { atTheEnd } from './children.ts';
import { KEPT_CODE, NODE, ROOT } from './program.ts';
import { Signal } from './signal.ts';

/** Relays bytes both ways; lines on its input are keys in hex (`k`), or a new size (`r`). */
const RELAY = `
import fcntl, os, pty, select, struct, sys, termios
columns, rows = int(sys.argv[1]), int(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
rest = b''
open_ = [terminal, 0]
while True:
    ready, _, _ = select.select(open_, [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            open_ = [terminal]
        *lines, rest = (rest + data).split(b'\\n')
        for line in lines:
            word = line.decode().split(' ')
            if word[0] == 'k':
                os.write(terminal, bytes.fromhex(word[1]))
            else:
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', int(word[2]), int(word[1]), 0, 0))
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
`;

/** Whether there is a python3 that can open pseudo terminals. */
export function canOpenTerminals(): boolean {
  return spawnSync('python3', ['-c', 'import pty, fcntl, termios, os; os.waitstatus_to_exitcode']).status === 0;
}

export class Terminal {
  /** Everything that was written, as it came. */
  raw = '';
  exitCode: number | undefined;
  readonly screen: Screen;
  readonly #process: ChildProcess;
  readonly #signal = new Signal();

  constructor(args: readonly string[], size: { columns: number; rows: number }, env: Record<string, string> = {}) {
    this.screen = new Screen(size.rows);
    const command = [String(size.columns), String(size.rows), NODE, 'src/main.ts', ...args];
    this.#process = spawn('python3', ['-u', '-c', RELAY, ...command], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...KEPT_CODE, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const release = atTheEnd(() => this.#process.kill('SIGKILL'));
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
      this.screen.write(text);
      this.#signal.notify();
    });
    this.#process.once('close', (code) => {
      release();
      this.exitCode = code ?? -1;
      this.#signal.notify();
    });
  }

  press(keys: string): void {
    this.#process.stdin?.write(`k ${Buffer.from(keys).toString('hex')}\n`);
  }

  resize(columns: number, rows: number): void {
    this.screen.rows = rows;
    this.#process.stdin?.write(`r ${columns} ${rows}\n`);
  }

  /** Waits until the screen is as wanted; says what was there when it is not. */
  async until(what: string, isSo: (lines: readonly string[]) => boolean, waitMs = 15_000): Promise<void> {
    try {
      await this.#signal.until(what, () => isSo(this.screen.lines()), waitMs);
    } catch (error) {
      throw new Error(`${String(error)}; the screen was:\n${this.screen.lines().join('\n')}`, { cause: error });
    }
  }

  async untilExit(waitMs = 15_000): Promise<number | undefined> {
    await this.#signal.until('the program to end', () => this.exitCode !== undefined, waitMs);
    return this.exitCode;
  }

  stop(): void {
    if (this.exitCode === undefined) this.#process.kill('SIGKILL');
  }
}

// eslint-disable-next-line no-control-regex -- sequences begin with the escape character
const PIECES = /\u001b\[([?]?[\d;]*)([A-Za-z])|\u001b[^[]|[\r\n]|[^\u001b\r\n]+/g;

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

export interface Cell {
  readonly text: string;
  /** Of ECMA-48, SGR. */
  readonly codes: readonly string[];
}

const ENDS: Readonly<Record<string, RegExp>> = {
  22: /^[12]$/,
  27: /^7$/,
  39: /^(?:3|9)\d$/,
  49: /^(?:4|10)\d$/,
  0: /./,
};

/** What stands where: a cell a column, the second one of a wide character being empty. */
class Screen {
  rows: number;
  /** The other screen is shown, which leaves nothing behind. */
  isOther = false;
  hasCursor = true;
  #cells: Cell[][] = [];
  #codes = new Set<string>();
  #row = 0;
  #column = 0;
  #rest = '';

  constructor(rows: number) {
    this.rows = rows;
  }

  lines(): string[] {
    return this.cells().map((cells) =>
      cells
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    );
  }

  /** With the colours that were on when each was written. */
  cells(): Cell[][] {
    return Array.from(this.#cells, (cells) => Array.from(cells ?? [], (cell) => cell ?? { text: ' ', codes: [] }));
  }

  write(text: string): void {
    const whole = this.#rest + text;
    // Half a sequence at the end waits for its other half.
    // eslint-disable-next-line no-control-regex -- see above
    const cutAt = whole.search(/\u001b(?:\[[?\d;]*)?$/);
    this.#rest = cutAt === -1 ? '' : whole.slice(cutAt);
    for (const [piece, numbers, letter] of whole.slice(0, cutAt === -1 ? undefined : cutAt).matchAll(PIECES)) {
      if (letter !== undefined) this.#obey(numbers ?? '', letter);
      else if (piece === '\n') this.#lineFeed();
      else if (piece === '\r') this.#column = 0;
      else for (const { segment } of SEGMENTER.segment(piece)) this.#put(segment);
    }
  }

  #lineFeed(): void {
    this.#row += 1;
    // Behind the last row everything moves up.
    if (this.#row < this.rows) return;
    this.#row = this.rows - 1;
    this.#cells.shift();
  }

  #put(character: string): void {
    const line = (this.#cells[this.#row] ??= []);
    const codes = [...this.#codes];
    line[this.#column] = { text: character, codes };
    this.#column += 1;
    if (stringWidth(character) < 2) return;
    line[this.#column] = { text: '', codes };
    this.#column += 1;
  }

  #obey(numbers: string, letter: string): void {
    const count = Number(numbers === '' ? 1 : numbers);
    if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'B') this.#row = Math.min(this.rows - 1, this.#row + count);
    else if (letter === 'G') this.#column = count - 1;
    else if (letter === 'K') this.#cells[this.#row]?.splice(numbers === '2' ? 0 : this.#column);
    else if (letter === 'J') this.#cells = [];
    else if (letter === 'H') [this.#row, this.#column] = [0, 0];
    else if (numbers.startsWith('?')) this.#mode(numbers, letter === 'h');
    else if (letter === 'm') for (const code of numbers.split(';')) this.#color(code);
    else throw new Error(`the screen does not know the sequence ${numbers}${letter}`);
  }

  /** Each that is off again takes away those that it ends. */
  #color(code: string): void {
    const ends = ENDS[code];
    if (ends === undefined) this.#codes.add(code);
    else for (const each of this.#codes) if (ends.test(each)) this.#codes.delete(each);
  }

  #mode(numbers: string, isOn: boolean): void {
    if (numbers === '?25') this.hasCursor = isOn;
    else if (numbers === '?1049') [this.isOther, this.#cells, this.#row, this.#column] = [isOn, [], 0, 0];
    else if (numbers !== '?2026') throw new Error(`the screen does not know the mode ${numbers}`);
  }
}
