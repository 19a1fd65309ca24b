// What became of polls: faults are counted by kind, and the log is told of the first one in a row and of
// the recovery, not of each.
import { faultFields, type Log } from '../../base/log.ts';
import type { PollFault } from '../../judge/engine-state.ts';
import type { Failure } from './metrics-client.ts';

const WORDS: Readonly<Record<PollFault, string>> = {
  refused: 'nobody answers there',
  timeout: 'the answer took too long',
  redirect: 'it redirects, which is not followed',
  absent: 'there is no such page, or not for us',
  status: 'it answers with an error',
  too_large: 'the answer is too large',
  broken: 'the answer broke off or is malformed',
  no_metrics: 'what it answers are no metrics',
  unknown_names: 'it publishes nothing that is known here',
};

export class PollNotes {
  readonly counts = new Map<PollFault, number>();
  readonly #log: Log;
  /** What is read, as it stands in a sentence. */
  readonly #what: string;
  #failing = false;

  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  good(url: string): void {
    if (this.#failing) this.#log.info(`${this.#what} can be read again`, { url: shown(url) });
    this.#failing = false;
  }

  /** A fault of ours, whatever the engine answered. */
  broke(fault: unknown): void {
    this.counts.set('broken', (this.counts.get('broken') ?? 0) + 1);
    if (!this.#failing) this.#log.error(`${this.#what} could not be taken in`, faultFields(fault));
    this.#failing = true;
  }

  failed(url: string, { fault, status, code }: Failure): void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    if (this.#failing) return;
    this.#failing = true;
    this.#log.warn(`${this.#what} cannot be read: ${WORDS[fault]}`, { url: shown(url), fault, status, code });
  }
}

/** A query may hold a token. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
