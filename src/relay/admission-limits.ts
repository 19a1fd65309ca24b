// Whether there is room for one more request: streams, memory, descriptors. New work is refused at once and
// with a hint when to come again, so that what is open lives on. Knows no exchange and no answer.

/** Undefined is no limit. */
export interface AdmissionSettings {
  /** Of one relay, each. */
  readonly maxStreamCount: number;
  readonly maxConnectionCount: number;
  /** Of the whole process. */
  readonly maxRssBytes: number | undefined;
  /** Bytes a second of a body whose length was stated. */
  readonly uploadRateMinBytes: number | undefined;
}

/** For a relay of which nobody can ask too much. */
export const BOUNDLESS: AdmissionSettings = {
  maxStreamCount: Infinity,
  maxConnectionCount: Infinity,
  maxRssBytes: undefined,
  uploadRateMinBytes: undefined,
};

/** Why something was refused for want of room; the last two by the admission queue. */
export const SHED_REASONS = ['streams', 'connections', 'memory', 'descriptors', 'queue_full', 'queue_age'] as const;
export type ShedReason = (typeof SHED_REASONS)[number];

export class AdmissionLimits {
  settings: AdmissionSettings;
  #rssBytes = 0;

  constructor(settings: AdmissionSettings) {
    this.settings = settings;
  }

  /** Why a request finds no room beside so many others; undefined when it does. */
  shedReason(openCount: number, isOverflow: boolean): ShedReason | undefined {
    const { maxStreamCount, maxRssBytes } = this.settings;
    if (isOverflow) return 'connections';
    if (openCount >= maxStreamCount) return 'streams';
    return maxRssBytes !== undefined && this.#rssBytes > maxRssBytes ? 'memory' : undefined;
  }

  /** Looks how much memory the process has now; costs a system call, so not for each request. */
  look(): void {
    if (this.settings.maxRssBytes === undefined) return;
    try {
      this.#rssBytes = process.memoryUsage.rss();
    } catch {
      // Without a descriptor for the look, what was seen before holds on.
    }
  }
}

/** Errors of a system call that mean that this machine, not the other side, has no room. */
const SHORTAGES: ReadonlyMap<string, ShedReason> = new Map([
  ['EMFILE', 'descriptors'],
  ['ENFILE', 'descriptors'],
  ['ENOBUFS', 'memory'],
  ['ENOMEM', 'memory'],
]);

export function shortageOf(code: string): ShedReason | undefined {
  return SHORTAGES.get(code);
}
