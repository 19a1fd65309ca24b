// What the main thread and the thread that owns the admin port say to each other: plain data that
// survives structured cloning. Knows nothing of sockets or of what is answered.
import type { EventSink, LiveEvents, LiveWants } from './live/messages.ts';
import type { RelayPulse } from './pulse-watch.ts';

/** Main → the port's thread, when that thread starts. */
export interface FrontSettings {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** Where the built page is, if it is anywhere. */
  readonly pageFolder: string;
  readonly pulses: readonly RelayPulse[];
}

/** What somebody who may ask wants to know. */
export interface AdminAsk {
  /** The target without its query. */
  readonly path: string;
  /** What stands behind the question mark, as it was sent. */
  readonly query: string;
  readonly accept: string | undefined;
}

export interface AdminAnswer {
  readonly status: number;
  /** Names in lower case. Length and connection fields are not among them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer without an end: `enter` begins it on a connection, and what it returns ends it there. */
export interface AdminStream {
  readonly fields: Readonly<Record<string, string>>;
  enter(sink: EventSink): () => void;
}

/** Main → the port's thread. */
export type FrontCommand =
  | { readonly type: 'answer'; readonly ask: number; readonly answer: AdminAnswer }
  | { readonly type: 'live'; readonly events: LiveEvents }
  | { readonly type: 'pulses'; readonly pulses: readonly RelayPulse[] }
  | { readonly type: 'close' };

/** The port's thread → main. */
export type FrontMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'listen_failed'; readonly code: string; readonly message: string }
  | { readonly type: 'ask'; readonly ask: number; readonly asked: AdminAsk }
  | { readonly type: 'live_ask'; readonly wants: LiveWants }
  | { readonly type: 'closed' };
