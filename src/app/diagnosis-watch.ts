// Looks once a second what engines say of themselves and how many requests wait for them, for the diagnosis: a queue
// of a second is gone when somebody asks for the page.
import type { EngineState } from '../judge/engine-state.ts';
import type { DiagnosisWindow } from '../telemetry/diagnosis-window.ts';

const LOOK_MS = 1_000;

export class DiagnosisWatch {
  readonly #timer: NodeJS.Timeout;

  constructor(
    window: DiagnosisWindow,
    states: () => readonly EngineState[],
    backlogs: () => ReadonlyMap<string, number>,
  ) {
    this.#timer = setInterval(() => window.look(states(), backlogs()), LOOK_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
