// Part of the rule of two points: a hop that holds only the beginning. Head and first text leave it together, long
// after the head was there, or the first text waits and everything after it passes. Pure.
import type { HopFinding, HopView } from './view.ts';
import { firstOuterTextNs, ownTime, wasBlocked } from './reads.ts';
import { rankOf } from '../rank.ts';

const NS_PER_MS = 1e6;
/** A head is never needed sooner. */
const HEAD_MATTERS_NS = 20 * NS_PER_MS;
const BEFORE_TEXT_NS = 100 * NS_PER_MS;
const MOST_RATIO = 0.8;
/** A first text that is late by less, once, is no more than any single read that is late on a busy machine. */
const FIRST_MATTERS_NS = 100 * NS_PER_MS;
/** The rest may be uneven, as long as the beginning stands out from it. */
const STANDS_OUT = 4;
/** Head and text that come out within this have come together. */
const TOGETHER_NS = 3 * NS_PER_MS;

export function startFinding(view: HopView): HopFinding | undefined {
  const { reads, releases, baseNs, mattersNs } = view;
  const [first] = releases;
  if (first === undefined || reads.length < 4) return undefined;
  // Where the hop put text before the answer, or a slow client spoiled its start, nobody saw the first text wait.
  const firstTextAtNs = firstOuterTextNs(view.record) ?? first.firstAtNs;
  if (first.firstAtNs - firstTextAtNs > TOGETHER_NS) return undefined;
  const later = reads.filter(({ outerAtNs }) => outerAtNs > first.lastAtNs);
  // The rest has to pass, or this is about something else.
  const restNs = later.map(({ holdNs }) => holdNs - baseNs);
  if (later.length < 3 || rankOf(restNs, 50) >= mattersNs) return undefined;
  const unevenNs = rankOf(restNs, 90);
  const late = unevenNs < mattersNs ? firstTextFinding(view) : undefined;
  const head = headFinding(view, first.firstAtNs);
  if (head === undefined || (head.numbers?.['headHoldMs'] ?? 0) * NS_PER_MS < STANDS_OUT * unevenNs) return late;
  // A gateway that keeps the head may sleep before the first text as well.
  return { ...head, signs: [...head.signs, ...(late?.signs ?? [])], numbers: { ...head.numbers, ...late?.numbers } };
}

function headFinding({ record, hop, reads, baseNs, mattersNs }: HopView, firstOutAtNs: number): HopFinding | undefined {
  const headOutAtNs = record.marks.headReceivedAtNs;
  const headInAtNs = hop.inner.headWrittenAtNs;
  if (headOutAtNs === undefined || headInAtNs === undefined) return undefined;
  if (wasBlocked(record, headInAtNs, headOutAtNs)) return undefined;
  // One that went in with the text has waited for nothing but a late hop.
  const aheadNs = (reads[0]?.innerAtNs ?? 0) - headInAtNs;
  if (aheadNs < HEAD_MATTERS_NS) return undefined;
  // What comes first may say nothing yet: a role, or a comment.
  const bodyOutAtNs = Math.min(firstOutAtNs, record.chunks.receivedAtNs[0] ?? Infinity);
  // They came together, so that what made the one late made the other.
  const oursNs = ownTime(record)(headInAtNs, bodyOutAtNs);
  const headHoldNs = headOutAtNs - headInAtNs - oursNs - (hop.clockErrorNs ?? 0) - baseNs;
  if (headHoldNs < Math.max(HEAD_MATTERS_NS, mattersNs) || bodyOutAtNs - headOutAtNs > TOGETHER_NS) return undefined;
  // What was no text may have gone in with the head, so that both were late once: then it must be most of the wait.
  const isWithText = firstOutAtNs - headOutAtNs <= TOGETHER_NS;
  if (!isWithText && headHoldNs < Math.max(BEFORE_TEXT_NS, MOST_RATIO * aheadNs)) return undefined;
  const numbers = { headHoldMs: headHoldNs / NS_PER_MS };
  return { word: 'holds', way: 'head', confidence: 0.9, signs: ['head_withheld'], numbers };
}

/** Once it may be anything; that it is so each time is for the running verdict to see. */
function firstTextFinding({ reads, baseNs, mattersNs }: HopView): HopFinding | undefined {
  const firstNs = (reads[0]?.holdNs ?? 0) - baseNs;
  if (firstNs < mattersNs) return undefined;
  const numbers = { firstHoldMs: firstNs / NS_PER_MS };
  // A hop that wakes up is late by a little once; the sign stays, for the running verdict.
  if (firstNs < FIRST_MATTERS_NS) return { word: 'passes', confidence: 0.8, signs: ['first_text_held'], numbers };
  return { word: 'unsure', confidence: 1, signs: ['first_text_held'], numbers };
}
