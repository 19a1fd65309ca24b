// What signals ask of a sidecar, from before its code is loaded until after its end. What comes before it runs
// waits until it does: loading takes a while, and whoever has changed the configuration meanwhile, or wants the
// sidecar gone, must neither kill it half-way nor be forgotten. Imports nothing, so that it is there first.

/** What signals can do to whatever runs. */
export interface Signalled {
  /** SIGHUP. */
  reload(): void;
  /** The first SIGTERM or SIGINT. */
  drain(signal: string): void;
  /** The second one. */
  cut(): void;
}

const ENDING = ['SIGTERM', 'SIGINT'] as const;

export class Signals {
  #target: Signalled | undefined;
  #hungUp = false;
  /** The signals that asked for the end so far. */
  readonly #ending: string[] = [];

  constructor() {
    process.on('SIGHUP', this.#onHangUp);
    for (const signal of ENDING) process.on(signal, this.#onEnding);
  }

  /** From now on signals go to `target`, at first those that came already. */
  serve(target: Signalled): void {
    this.#target = target;
    if (this.#hungUp) target.reload();
    if (this.#ending[0] !== undefined) target.drain(this.#ending[0]);
    if (this.#ending.length > 1) target.cut();
  }

  /** From now on signals do what they do to any process. */
  close(): void {
    process.removeListener('SIGHUP', this.#onHangUp);
    this.#leaveEnding();
  }

  readonly #onHangUp = (): void => {
    this.#hungUp = true;
    this.#target?.reload();
  };

  /** The first drains, the second cuts, and the third finds no handler of ours. */
  readonly #onEnding = (signal: string): void => {
    this.#ending.push(signal);
    if (this.#ending.length > 1) this.#leaveEnding();
    if (this.#ending.length === 1) this.#target?.drain(signal);
    else this.#target?.cut();
  };

  #leaveEnding(): void {
    for (const signal of ENDING) process.removeListener(signal, this.#onEnding);
  }
}
