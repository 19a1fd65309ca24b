// The admission queues of one relay, one for each route: made when the first request asks, kept while turns are
// configured. Only what asks for work stands in line: a POST that is no upgrade.
import { classByHead, queueSettings, type AdmissionRules } from './admission-classes.ts';
import { AdmissionQueue, type Asker, type QueueSettings, type Ticket } from './admission-queue.ts';
import type { Arrival } from './listener.ts';

/** Turns that are switched off: whoever still waits goes on. */
const OPEN: QueueSettings = {
  maxRunningCount: Infinity,
  turnsOf: () => ({ priority: 0, maxRunningCount: Infinity, maxWaitingCount: 0, maxWaitMs: 0 }),
};

export class Turns {
  #rules: AdmissionRules | undefined;
  #settings: QueueSettings;
  /** By the number of the route. */
  readonly #queues = new Map<number, AdmissionQueue>();

  constructor(rules: AdmissionRules | undefined) {
    this.#rules = rules;
    this.#settings = rules === undefined ? OPEN : queueSettings(rules);
  }

  configure(rules: AdmissionRules | undefined): void {
    this.#rules = rules;
    this.#settings = rules === undefined ? OPEN : queueSettings(rules);
    for (const queue of this.#queues.values()) queue.configure(this.#settings);
  }

  /** Undefined where the request need not ask. */
  ticketsFor({ req, upgradeHead }: Arrival, routeId: number): ((asker: Asker) => Ticket) | undefined {
    if (this.#rules === undefined || req.method !== 'POST' || upgradeHead !== undefined) return undefined;
    const className = classByHead(this.#rules, req.url ?? '', req.rawHeaders);
    const queue = this.#queueOf(routeId);
    return (asker) => queue.ticket(className, asker);
  }

  #queueOf(routeId: number): AdmissionQueue {
    const known = this.#queues.get(routeId);
    if (known !== undefined) return known;
    const fresh = new AdmissionQueue(this.#settings);
    this.#queues.set(routeId, fresh);
    return fresh;
  }
}
