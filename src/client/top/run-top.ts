// `rubato top` while it runs: feed → model → picture, and keys → choices. On a terminal the picture is redrawn; elsewhere
// it is written as a block of lines every so often, or once. Knows no flags and no exit codes.
import type { ReadStream, WriteStream } from 'node:tty';
import { FIRST_CHOICES, keysOf, press, type TopChoices } from './choices.ts';
import { type FeedListener, type FeedTrouble, watchFeed } from './feed.ts';
import { TopModel } from './model.ts';
import { pageOf, renderTop, type TopOptions, type TopSize } from './render.ts';
import { Screen } from './screen.ts';

export interface TopRun {
  readonly adminUrl: URL;
  readonly isColored: boolean;
  readonly isAscii: boolean;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

export interface PlainRun extends TopRun {
  readonly columns: number;
  /** Absent for one block and no more. */
  readonly everyMs: number | undefined;
  readonly write: (text: string) => void;
}

/** How it ended: as asked, or because nothing could be watched from the start. */
export type TopEnd = 'done' | FeedTrouble;

/** While nothing comes, how long it has not is still told. */
const TICK_MS = 1_000;

/** The picture on a terminal, until the user leaves. */
export async function runOnScreen(run: TopRun, output: WriteStream, input: ReadStream | undefined): Promise<TopEnd> {
  const watching = new Watching(run);
  let choices: TopChoices = FIRST_CHOICES;
  const optionsNow = (): TopOptions => ({
    choices,
    isColored: run.isColored,
    isAscii: run.isAscii,
    hasKeys: screen.hasKeys,
    nowEpochMs: Date.now(),
  });
  const draw = (): void => screen.draw(renderTop(watching.model.view(), screen.size, optionsNow()));
  const onKeys = (text: string): void => {
    for (const key of keysOf(text)) {
      const view = watching.model.view();
      const classes = (view.state?.classes ?? []).map((each) => each.class);
      const pressed = press(choices, key, { classes, ...pageOf(view, screen.size, optionsNow()) });
      if (pressed === 'quit') return watching.stop();
      if (pressed.isPaused !== choices.isPaused) watching.pause(pressed.isPaused);
      choices = pressed;
    }
    draw();
  };
  const screen = new Screen(output, input, { onKeys, onResize: draw, onGone: () => watching.stop() });
  watching.onChange = () => {
    if (!choices.isPaused) draw();
  };
  // The screen is taken only for something to show on it: that nothing is there is told where the command was given.
  watching.onFirst = () => screen.open();
  const timer = setInterval(() => watching.onChange(), TICK_MS);
  try {
    return await watching.end;
  } finally {
    clearInterval(timer);
    screen.close();
  }
}

/** Blocks of lines, until the signal or after the first. */
export async function runPlain(run: PlainRun): Promise<TopEnd> {
  const watching = new Watching(run);
  const size: TopSize = { columns: run.columns, rows: Infinity };
  const write = (): void => {
    const nowEpochMs = Date.now();
    const { isColored, isAscii } = run;
    const options = { choices: FIRST_CHOICES, isColored, isAscii, hasKeys: false, nowEpochMs };
    const lines = renderTop(watching.model.view(), size, options);
    run.write([new Date(nowEpochMs).toISOString(), ...lines].join('\n'));
    if (run.everyMs === undefined) watching.stop();
    else run.write('');
  };
  let timer: NodeJS.Timeout | undefined;
  watching.onFirst = () => {
    if (run.everyMs !== undefined) timer = setInterval(write, run.everyMs);
    write();
  };
  try {
    return await watching.end;
  } finally {
    clearInterval(timer);
  }
}

/** Keeps the model fed. What cannot be watched at first is an end; what is lost later is waited for. */
class Watching {
  readonly model: TopModel;
  onChange: () => void = () => undefined;
  onFirst: () => void = () => undefined;
  readonly end: Promise<TopEnd>;
  readonly #adminUrl: URL;
  readonly #resolve: (end: TopEnd) => void;
  readonly #reject: (error: unknown) => void;
  #connection: AbortController | undefined;
  #hasBegun = false;

  constructor({ adminUrl, signal }: TopRun) {
    const { promise, resolve, reject } = Promise.withResolvers<TopEnd>();
    this.end = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#adminUrl = adminUrl;
    this.model = new TopModel(adminUrl.href.replace(/\/$/, ''), Date.now());
    signal.addEventListener('abort', () => this.stop(), { once: true });
    if (signal.aborted) this.stop();
    else this.#connect();
  }

  stop(): void {
    this.#connection?.abort();
    this.#resolve('done');
  }

  /** A picture that is held needs no feed; the feed that follows tells everything anew. */
  pause(isPaused: boolean): void {
    this.#connection?.abort();
    if (!isPaused) this.#connect();
  }

  #connect(): void {
    const connection = new AbortController();
    this.#connection = connection;
    void watchFeed(this.#adminUrl, this.#listener(), connection.signal).catch((error: unknown) => {
      // A fault of ours in drawing: the screen has to be given back before it is told.
      connection.abort();
      this.#reject(error);
    });
  }

  #listener(): FeedListener {
    return {
      onHello: (hello) => {
        this.model.hello(hello, Date.now());
        const isFirst = !this.#hasBegun;
        this.#hasBegun = true;
        if (isFirst) this.onFirst();
        this.onChange();
      },
      onBeat: (beat) => {
        const isNext = this.model.beat(beat, Date.now());
        this.onChange();
        return isNext;
      },
      onState: (state) => this.model.state(state),
      onBusy: () => {
        this.model.setLink('busy', Date.now());
        this.onChange();
      },
      onTrouble: (trouble) => {
        if (!this.#hasBegun) this.#resolve(trouble);
        else {
          this.model.setLink(trouble.word, Date.now(), trouble.says);
          this.onChange();
        }
        return this.#hasBegun;
      },
    };
  }
}
