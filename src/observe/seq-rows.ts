// Which row of the log a chunk has, by its number on the wire. The two only drift apart where chunks were lost,
// so a few runs say it for any number of chunks. Knows nothing of what a row holds.

export class SeqRows {
  /** Of each run: the number of its first chunk, and that chunk's row. */
  readonly #runs: number[] = [];
  #nextSeq = 0;
  #rowCount = 0;

  /** The chunk with this number has this row; both only ever rise, rows one by one. */
  add(seq: number, row: number): void {
    if (this.#runs.length === 0 || seq !== this.#nextSeq) this.#runs.push(seq, row);
    this.#nextSeq = seq + 1;
    this.#rowCount = row + 1;
  }

  /** Undefined for a chunk without a row. Asked about in the order of the wire: what was passed is forgotten. */
  take(seq: number): number | undefined {
    const runs = this.#runs;
    while (runs.length > 2 && (runs[2] as number) <= seq) runs.splice(0, 2);
    const [firstSeq, firstRow, , endRow = this.#rowCount] = runs;
    if (firstSeq === undefined || firstRow === undefined || seq < firstSeq) return undefined;
    const row = firstRow + seq - firstSeq;
    return row < endRow ? row : undefined;
  }
}
