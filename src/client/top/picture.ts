// What every part of the picture is given: what is known, how much room there is, and what the terminal can show.
import type { TopChoices } from './choices.ts';
import type { TopView } from './model.ts';
import type { Glyphs, Paint } from './paint.ts';

export interface Picture {
  readonly view: TopView;
  readonly choices: TopChoices;
  readonly width: number;
  readonly paint: Paint;
  readonly glyphs: Glyphs;
  /** By this machine's clock. */
  readonly nowEpochMs: number;
}
