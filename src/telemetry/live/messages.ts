// What the main thread and the admin port's thread say to each other about the live feed, and what the latter asks of a
// watcher's connection. Plain data that survives structured cloning; knows neither figures nor sockets.

/** What is wanted now. A beat is for those who have all before it, a `hello` for those who have nothing. */
export interface LiveWants {
  readonly hello: boolean;
  readonly beat: boolean;
  readonly state: boolean;
  readonly watcherCount: number;
}

/** Events as bytes of an event stream; one that was not wanted is absent. */
export interface LiveEvents {
  readonly hello?: Uint8Array;
  readonly beat?: Uint8Array;
  readonly state?: Uint8Array;
}

/** What is asked of a watcher's connection. */
export interface EventSink {
  readonly heldBytes: number;
  write(bytes: Uint8Array): void;
}
