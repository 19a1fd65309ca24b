// How far another process's clock leads ours, as an interval: nothing arrives before it was sent, in either
// direction. Many pairs narrow it; each counts for a while, widened by what two good clocks may part in that time.
// Pure but for what it remembers.
import { PEER_CLOCK_PAIRS_MAX_COUNT, PEER_CLOCK_WINDOW_MS } from '../../base/pairing-limits.ts';
import { endsAlike, firstOutNs } from './lane-pair.ts';
import type { Sight } from './sight.ts';
import type { TextMatch } from './text-match.ts';

/** Inner clock less outer clock lies in it. */
export interface Lead {
  readonly lowNs: number;
  readonly highNs: number;
}

/** Oscillators differ by up to 50 ppm each. */
const DRIFT_RATIO = 100e-6;
const NS_PER_MS = 1e6;

export class PeerClock {
  readonly #leads: { readonly lead: Lead; readonly atNs: number }[] = [];

  /** What all recent pairs allow; undefined as long as there is none. */
  lead(atNs: number): Lead | undefined {
    let lowNs = -Infinity;
    let highNs = Infinity;
    for (const known of this.#leads) {
      const ageNs = Math.max(0, atNs - known.atNs);
      if (ageNs > PEER_CLOCK_WINDOW_MS * NS_PER_MS) continue;
      lowNs = Math.max(lowNs, known.lead.lowNs - DRIFT_RATIO * ageNs);
      highNs = Math.min(highNs, known.lead.highNs + DRIFT_RATIO * ageNs);
    }
    return Number.isFinite(lowNs) && Number.isFinite(highNs) ? { lowNs, highNs } : undefined;
  }

  /** What a pair and those before it allow together; undefined when they contradict each other. */
  within(lead: Lead, atNs: number): Lead | undefined {
    const known = this.lead(atNs);
    return known === undefined ? valid(lead) : intersection(lead, known);
  }

  /** Learns from a certain pair. */
  learn(lead: Lead, atNs: number): void {
    // A pair that contradicts all before it: a clock was set, and what was known is of no use any more.
    if (this.within(lead, atNs) === undefined) this.forget();
    this.#leads.push({ lead, atNs });
    if (this.#leads.length > PEER_CLOCK_PAIRS_MAX_COUNT) this.#leads.shift();
  }

  /** Learns from an answer, which was given between its question and its arrival here. A pair tells more, mostly. */
  learnAnswer({ askedAtNs, answeredAtNs }: { askedAtNs: number; answeredAtNs: number }, atNs: number): void {
    const lead = { lowNs: answeredAtNs - atNs, highNs: answeredAtNs - askedAtNs };
    const known = this.lead(atNs);
    if (known === undefined || halfOf(lead) < halfOf(known)) this.learn(lead, atNs);
  }

  /** Another process answers from now on. */
  forget(): void {
    this.#leads.length = 0;
  }
}

/**
 * What these two, if they are a pair, allow. Request: a connection of ours was ready before the inner one could
 * open. Answer: text came out after it was received behind the hop; without text, it opened before ours was over.
 */
export function leadOf(outer: Sight, inner: Sight, match: TextMatch | undefined): Lead {
  const highNs = inner.openedAtNs - (outer.connectedAtNs ?? outer.openedAtNs);
  let lowNs = inner.openedAtNs - (outer.endedAtNs ?? Infinity);
  for (const pair of match?.pairs ?? []) {
    const { outer: out, inner: put } = pair;
    if (pair.commonChars > 0)
      lowNs = Math.max(lowNs, put.firstReceivedAtNs - (firstOutNs(pair) ?? out.lastReceivedAtNs));
    if (endsAlike(pair)) lowNs = Math.max(lowNs, put.lastReceivedAtNs - out.lastReceivedAtNs);
  }
  return { lowNs, highNs };
}

export function middleOf({ lowNs, highNs }: Lead): number {
  return Math.round((lowNs + highNs) / 2);
}

export function halfOf({ lowNs, highNs }: Lead): number {
  return Math.ceil((highNs - lowNs) / 2);
}

function intersection(one: Lead, other: Lead): Lead | undefined {
  return valid({ lowNs: Math.max(one.lowNs, other.lowNs), highNs: Math.min(one.highNs, other.highNs) });
}

function valid(lead: Lead): Lead | undefined {
  return lead.lowNs <= lead.highNs ? lead : undefined;
}
