// The connection to the feed: opens it, lets go of it while nobody looks, notices that it is gone, and gets it back.
// What it knows and how that stands is one snapshot. Takes the browser's parts as ports, so that a test can play
// them; knows nothing of the document.
import {
  PAGE_RESTART_SAID_MS,
  PAGE_RETRY_FIRST_MS,
  PAGE_RETRY_MAX_MS,
  PAGE_SILENCE_MAX_MS,
} from '../../base/page-limits.ts';
import type { LiveBeat, LiveHello, LiveState } from '../../telemetry/live/frame.ts';
import { applyBeat, applyState, startModel, type LiveModel } from '../../telemetry/live/model.ts';

/**
 * `live`: events come · `busy`: the admin port answers and the main thread behind it does not · `paused`: the document
 * is hidden · `lost`: the sidecar is gone · `refused`: it is there, and too many watch it already.
 */
export type LinkWord = 'connecting' | 'live' | 'busy' | 'paused' | 'lost' | 'refused';

export interface Link {
  readonly word: LinkWord;
  /** By this machine's clock, as all moments here. */
  readonly sinceEpochMs: number;
  /** Of `lost` and `refused`. */
  readonly retryAtEpochMs?: number;
}

export interface Snapshot {
  readonly link: Link;
  /** Absent before the first event. It stays while the connection is away: it is the last that was seen. */
  readonly model?: LiveModel;
  /** When another process answered than before; absent a while later. */
  readonly restartedAtEpochMs?: number;
}

export type EventName = 'hello' | 'beat' | 'state' | 'busy';

export interface FeedPorts {
  /** Opens a source; the answer closes it, after which neither of the two is called any more. */
  open(onEvent: (name: EventName, data: string) => void, onFault: () => void): () => void;
  /** After a fault: is the sidecar there, and lets nobody more watch? */
  isRefused(): Promise<boolean>;
  nowEpochMs(): number;
  /** The answer takes it back. */
  later(delayMs: number, call: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
}

/** Doubles up to its cap; half of it is by chance, so that many tabs do not come at once after a restart. */
export function retryDelayMs(attempt: number, random: number): number {
  const fullMs = Math.min(PAGE_RETRY_MAX_MS, PAGE_RETRY_FIRST_MS * 2 ** attempt);
  return Math.round(fullMs / 2 + (fullMs / 2) * random);
}

export class LiveFeed {
  readonly #ports: FeedPorts;
  readonly #onChange: () => void;
  #snapshot: Snapshot;
  #close: (() => void) | undefined;
  #stopTimer: (() => void) | undefined;
  #attempt = 0;
  /** Whatever was begun under another number is over. */
  #turn = 0;

  constructor(ports: FeedPorts, onChange: () => void) {
    this.#ports = ports;
    this.#onChange = onChange;
    this.#snapshot = { link: { word: 'connecting', sinceEpochMs: ports.nowEpochMs() } };
  }

  read(): Snapshot {
    return this.#snapshot;
  }

  /** Also: somebody looks again, or does not want to wait for the next try. */
  resume(): void {
    this.#attempt = 0;
    this.#set('connecting');
    this.#connect();
  }

  pause(): void {
    this.#letGo();
    this.#set('paused');
  }

  /** Nothing is heard of it after this. */
  stop(): void {
    this.#letGo();
  }

  /** How it stands is not moved by a try; what comes of it does that. */
  #connect(): void {
    this.#letGo();
    const turn = this.#turn;
    this.#close = this.#ports.open(
      (name, data) => {
        if (turn === this.#turn) this.#take(name, data);
      },
      () => {
        if (turn === this.#turn) this.#fault();
      },
    );
    this.#watchSilence();
  }

  #letGo(): void {
    this.#turn += 1;
    this.#close?.();
    this.#stopTimer?.();
    this.#close = undefined;
    this.#stopTimer = undefined;
  }

  #take(name: EventName, data: string): void {
    this.#watchSilence();
    if (name === 'busy') {
      this.#set('busy');
      return;
    }
    const model = this.#apply(name, data);
    if (model === undefined) {
      // One was missed or is not to be read: what is remembered there comes with the first event of a new connection.
      this.#retry('connecting');
      return;
    }
    this.#attempt = 0;
    const { link, restartedAtEpochMs } = this.#snapshot;
    const isOther = this.#snapshot.model !== undefined && this.#snapshot.model.about.process !== model.about.process;
    const nowEpochMs = this.#ports.nowEpochMs();
    const saidAt = isOther ? nowEpochMs : restartedAtEpochMs;
    const isSaid = saidAt !== undefined && nowEpochMs - saidAt < PAGE_RESTART_SAID_MS;
    this.#snapshot = {
      link: link.word === 'live' ? link : { word: 'live', sinceEpochMs: nowEpochMs },
      model,
      ...(isSaid && { restartedAtEpochMs: saidAt }),
    };
    this.#onChange();
  }

  #apply(name: EventName, data: string): LiveModel | undefined {
    const { model } = this.#snapshot;
    try {
      if (name === 'hello') return startModel(JSON.parse(data) as LiveHello, model);
      if (model === undefined) return undefined;
      if (name === 'state') return applyState(model, JSON.parse(data) as LiveState);
      return applyBeat(model, JSON.parse(data) as LiveBeat);
    } catch {
      // Cut off on its way, or of another version: the same as missed.
      return undefined;
    }
  }

  #fault(): void {
    this.#retry('lost');
    void this.#askWhy(this.#turn);
  }

  async #askWhy(turn: number): Promise<void> {
    const word = (await this.#ports.isRefused()) ? 'refused' : 'lost';
    const { link } = this.#snapshot;
    if (turn === this.#turn && link.word !== word) this.#set(word, link.retryAtEpochMs);
  }

  #retry(word: 'lost' | 'connecting'): void {
    this.#letGo();
    const delayMs = retryDelayMs(this.#attempt, this.#ports.random());
    this.#attempt += 1;
    // Each try that fails asks anew whether it was refused; until that is known it stays what it was.
    const stays = word === 'lost' && this.#snapshot.link.word === 'refused' ? 'refused' : word;
    this.#set(stays, this.#ports.nowEpochMs() + delayMs);
    this.#stopTimer = this.#ports.later(delayMs, () => {
      this.#connect();
    });
  }

  /** A connection whose other end is gone without a word says nothing, and that is all there is to see of it. */
  #watchSilence(): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#ports.later(PAGE_SILENCE_MAX_MS, () => {
      this.#fault();
    });
  }

  /** Since when it is so is not moved by another try. */
  #set(word: LinkWord, retryAtEpochMs?: number): void {
    const { link } = this.#snapshot;
    const sinceEpochMs = link.word === word ? link.sinceEpochMs : this.#ports.nowEpochMs();
    this.#snapshot = {
      ...this.#snapshot,
      link: { word, sinceEpochMs, ...(retryAtEpochMs !== undefined && { retryAtEpochMs }) },
    };
    this.#onChange();
  }
}
