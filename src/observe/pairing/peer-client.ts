// Asks a peer's admin port for its sights: one GET for several exchanges, bounded in time and bytes. What fails is
// counted, told to the log once in a row, and is undefined.
import type { Log } from '../../base/log.ts';
import { PEER_ANSWER_MAX_BYTES } from '../../base/pairing-limits.ts';
import { type ClientOptions, MetricsClient } from '../engine-metrics/metrics-client.ts';
import { PollNotes } from '../engine-metrics/poll-notes.ts';
import { PEER_PATH, type PeerAnswer, type PeerQuestion, peerQuery, readPeerAnswer } from './peer-answer.ts';

export interface PeerClientOptions {
  readonly origin: string;
  readonly tls: ClientOptions;
  readonly log: Log;
}

export class PeerClient {
  readonly #url: string;
  readonly #client: MetricsClient;
  readonly #notes: PollNotes;

  constructor({ origin, tls, log }: PeerClientOptions) {
    this.#url = `${origin}${PEER_PATH}`;
    this.#client = new MetricsClient(tls);
    this.#notes = new PollNotes(log, 'what the peer saw');
  }

  async ask(questions: readonly PeerQuestion[]): Promise<PeerAnswer | undefined> {
    let text = '';
    const url = `${this.#url}?${peerQuery(questions)}`;
    const failure = await this.#client.ask({
      url,
      maxBytes: PEER_ANSWER_MAX_BYTES,
      onText: (piece) => {
        text += piece;
      },
    });
    const answer = failure === undefined ? readPeerAnswer(text) : undefined;
    if (failure !== undefined) this.#notes.failed(this.#url, failure);
    else if (answer === undefined) this.#notes.failed(this.#url, { fault: 'unknown_names' });
    else this.#notes.good(this.#url);
    return answer;
  }

  /** A fault of ours, whatever the peer answered. */
  broke(fault: unknown): void {
    this.#notes.broke(fault);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
