// The text of one exchange, as far as it is kept: only with `--capture-text`, and only in the record file,
// beside the record and not in it, so that nobody who is handed a record is handed a prompt.

export interface CapturedText {
  /** What the model was given, as far as the request's body was copied whole. */
  readonly prompt?: string;
  /** What it wrote: text, reasoning, refusals and calls of tools of all choices, in the order in which they came. */
  readonly answer?: string;
  /** One of them was longer than what is kept. */
  readonly cut?: true;
}
