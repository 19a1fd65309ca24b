// A file that whole lines are appended to and that makes way for a new one when it is full. After a
// fault it is closed and opened anew with the next append. Knows lines as bytes, nothing of records.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

export interface RotatingFileOptions {
  readonly path: string;
  /** Size at which `path` becomes `path.1`, `path.1` becomes `path.2`, and so on. */
  readonly maxBytes: number;
  /** Old files kept beside the current one. */
  readonly keptCount: number;
  /** Also a file that was there, with rights of its own, is for its owner only. */
  readonly ownerOnly?: boolean;
}

/** Only for its owner. */
const FILE_MODE = 0o600;
const NEWLINE = Buffer.from('\n');

export class RotatingFile {
  readonly #options: RotatingFileOptions;
  #file: FileHandle | undefined;
  /** Bytes in the current file; undefined where a size means nothing (a pipe, a terminal). */
  #fileBytes: number | undefined;
  /** A write stopped inside a line and could not be undone. */
  #lineBroken = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /**
   * Opens the file, or a new one when `firstBytes` more would make it too large. Tells how many bytes
   * there is room for.
   */
  async prepare(firstBytes: number): Promise<number> {
    if (this.#file === undefined) await this.#open();
    if ((this.#fileBytes ?? 0) > 0 && firstBytes > this.#roomBytes) {
      await this.close();
      await this.#shiftOldFiles();
      await this.#open();
    }
    return this.#roomBytes;
  }

  /** Appends whole lines, all or none: what a full disk took of them is cut off again. */
  async append(lines: readonly Buffer[]): Promise<void> {
    const file = this.#file ?? (await this.#open());
    const bytes = Buffer.concat(this.#lineBroken ? [NEWLINE, ...lines] : lines);
    try {
      await writeAll(file, bytes);
    } catch (fault) {
      await this.#undo(file);
      await this.close();
      throw fault;
    }
    this.#lineBroken = false;
    if (this.#fileBytes !== undefined) this.#fileBytes += bytes.length;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    // A file that cannot be closed is given up; what matters was said when a write failed.
    await file?.close().catch(() => undefined);
  }

  get #roomBytes(): number {
    return this.#fileBytes === undefined ? Number.POSITIVE_INFINITY : this.#options.maxBytes - this.#fileBytes;
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#options.path, 'a', FILE_MODE);
    const stat = await file.stat();
    if (this.#options.ownerOnly === true && stat.isFile()) await file.chmod(FILE_MODE);
    this.#fileBytes = stat.isFile() ? stat.size : undefined;
    this.#file = file;
    return file;
  }

  async #shiftOldFiles(): Promise<void> {
    const { path, keptCount } = this.#options;
    if (keptCount === 0) await rm(path, { force: true });
    const nameOf = (age: number): string => (age === 0 ? path : `${path}.${age}`);
    for (let age = keptCount - 1; age >= 0; age -= 1) {
      await rename(nameOf(age), nameOf(age + 1)).catch((fault: NodeJS.ErrnoException) => {
        if (fault.code !== 'ENOENT') throw fault;
      });
    }
  }

  /** Half a line would be taken for a damaged record by whoever reads the file. */
  async #undo(file: FileHandle): Promise<void> {
    if (this.#fileBytes === undefined) return;
    try {
      await file.truncate(this.#fileBytes);
    } catch {
      this.#lineBroken = true;
    }
  }
}

/** Writes all bytes; the system may take fewer at a time. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let offset = 0; offset < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset);
    offset += bytesWritten;
  }
}
