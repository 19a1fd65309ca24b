// Which inner exchange is the one that was seen before the hop. Pure rules over sights: nested in time, found by an
// id or by content alone, confirmed by content wherever there is any, never against cause and effect, and nobody
// else's. A wrong pair is the worst answer; none is always allowed.
import type { PairBasis, UnpairedReason } from '../../record/hop-facts.ts';
import { SIGHTS_PER_ID_MAX_COUNT } from '../../base/pairing-limits.ts';
import { HASH_STEP_CHARS } from '../../record/text-curve.ts';
import { endsAlike } from './lane-pair.ts';
import { isBeforeItsCause } from './overlay.ts';
import { type KeyBasis, TEXT_BASES, type TextBasis } from './pair-keys.ts';
import type { Sight } from './sight.ts';
import { matchTexts, type TextMatch } from './text-match.ts';

/** What there is to choose from. */
export interface Field {
  /** Inner sights with the same id, whether they fit in time or not; none that belongs to another. */
  candidates(basis: IdBasis): readonly Sight[];
  /** All those with the same text, or the same end, that fit; undefined where there are too many, or not all known. */
  alike(basis: TextBasis, fits: (inner: Sight) => boolean): readonly Sight[] | undefined;
  /** Other outer sights with the same id or text that have no pair yet. */
  rivals(basis: KeyBasis): readonly Sight[];
  /** Nothing more will come: what is not certain now never will be. */
  readonly isLast: boolean;
  /** What the two clocks may be apart; 0 where they are one. */
  readonly slackNs: number;
}

export interface Pair {
  readonly inner: Sight;
  readonly basis: PairBasis;
  readonly confirmed: boolean;
  /** Further inner exchanges that belong to the outer one: tries that failed. */
  readonly failedTries: readonly Sight[];
  readonly match: TextMatch;
}

export type Choice = Pair | 'wait' | UnpairedReason;

const BY_ID = ['trace', 'request', 'response'] as const;
type IdBasis = (typeof BY_ID)[number];
/** By its end alone a text is found in one that is longer by so much at most. */
const ENDING_RATIO = 8;
/** An opening is stamped when a turn of the loop gets to it. */
const OPEN_SLACK_NS = 1e6;

export function choose(outer: Sight, field: Field): Choice {
  let waits = false;
  const reasons = new Set<UnpairedReason>();
  for (const basis of BY_ID) {
    const known = field.candidates(basis);
    const fitting = fittingOf(outer, known, field.slackNs);
    if (fitting.length === 0) {
      if (known.length > 0) reasons.add('outside');
      continue;
    }
    const choice = chooseOf(outer, fitting, basis, field);
    if (typeof choice !== 'string') return choice;
    if (choice === 'wait') waits = true;
    else reasons.add(choice);
  }
  if (!field.isLast) return 'wait';
  for (const basis of waits || reasons.has('ambiguous') ? [] : TEXT_BASES) {
    const choice = chooseByText(outer, field, basis);
    if (choice !== undefined) return choice;
  }
  return (['ambiguous', 'content', 'outside'] as const).find((reason) => reasons.has(reason)) ?? 'not_seen';
}

/** The inner exchange was asked for within the outer one. */
function nests(outer: Sight, inner: Sight, slackNs: number): boolean {
  const slack = openSlackNs(inner, slackNs);
  return inner.openedAtNs >= outer.openedAtNs - slack && inner.openedAtNs <= (outer.endedAtNs ?? Infinity) + slack;
}

/** Before anything of the outer text had come out. */
function isAskedFirst({ lanes }: Sight, inner: Sight, slackNs: number): boolean {
  const firstTextAtNs = Math.min(...lanes.map(({ firstReceivedAtNs }) => firstReceivedAtNs));
  return inner.openedAtNs <= firstTextAtNs + openSlackNs(inner, slackNs);
}

function openSlackNs({ edge }: Sight, slackNs: number): number {
  // Two edges' sights look alike; which of them came first is all that tells them apart.
  return (edge === undefined ? OPEN_SLACK_NS : 0) + slackNs;
}

/** Those asked for first; where none of them has the text, also those that have it: the gateway spoke before it asked. */
function fittingOf(outer: Sight, known: readonly Sight[], slackNs: number): readonly Sight[] {
  const nested = known.filter((inner) => nests(outer, inner, slackNs));
  const first = nested.filter((inner) => isAskedFirst(outer, inner, slackNs));
  const late = nested.filter((inner) => !first.includes(inner));
  const hasText = (inner: Sight): boolean => {
    const match = matchTexts(outer, inner);
    return inner.endedAtNs !== undefined && SAYING.has(match.agreement) && isPossible({ inner, match }, slackNs);
  };
  return late.length === 0 || first.some(hasText) ? first : [...first, ...late.filter(hasText)];
}

interface Judged {
  readonly inner: Sight;
  readonly match: TextMatch;
}

function chooseOf(outer: Sight, fitting: readonly Sight[], basis: PairBasis, field: Field): Choice {
  const { group, isExact } = narrowed(outer, fitting, basis);
  const ended = group.filter(({ endedAtNs }) => endedAtNs !== undefined);
  const judged = ended.map((inner) => ({ inner, match: matchTexts(outer, inner) }));
  const possible = judged.filter((one) => isPossible(one, field.slackNs));
  const rivals = field.rivals(basis).filter((rival) => !isExact || rival.ids.sentSpanId === outer.ids.sentSpanId);
  const confirmed = bestOf(possible);
  if (confirmed.length > 0) {
    const one = theOne(outer, confirmed);
    if (one === undefined) return field.isLast ? 'ambiguous' : 'wait';
    const contested = rivalry(outer, one, rivals, field.slackNs);
    // A short text may well be another's too; a long one hardly is, but where it is seen to be.
    const isDoubtful = contested === 'perhaps' && !one.match.isTelling;
    if (contested === 'surely' || isDoubtful) return field.isLast ? 'ambiguous' : 'wait';
    return pairOf(one, basis, { judged, isAlone: isExact || contested === 'no' });
  }
  if (group.length > ended.length && !field.isLast) return 'wait';
  return chooseUnconfirmed(outer, { possible, judged, open: group.filter((one) => !ended.includes(one)) }, basis, {
    rivals,
    field,
  });
}

interface Rest {
  readonly possible: readonly Judged[];
  readonly judged: readonly Judged[];
  readonly open: readonly Sight[];
}

/** No text to go by on one side: an id has to do, if it is nobody else's. */
function chooseUnconfirmed(
  outer: Sight,
  { possible, judged, open }: Rest,
  basis: PairBasis,
  { rivals, field }: { readonly rivals: readonly Sight[]; readonly field: Field },
): Choice {
  // An exchange that goes on says nothing unless the client has left and it should not.
  const still = outer.outcome === 'client_abort' ? open : [];
  const all = [...possible, ...still.map((inner) => ({ inner, match: matchTexts(outer, inner) }))];
  if (all.length === 0) return judged.length > 0 ? 'content' : 'not_seen';
  const lasting = all.filter(({ inner }) => !hasFailed(inner));
  const [one, ...others] = lasting.length > 0 ? lasting : all.slice(-1);
  if (one === undefined || others.length > 0) return field.isLast ? 'ambiguous' : 'wait';
  if (rivalry(outer, one, rivals, field.slackNs) !== 'no') return field.isLast ? 'ambiguous' : 'wait';
  return { ...pairOf(one, basis, { judged, isAlone: true }), confirmed: false };
}

/**
 * By its text alone: one that is long enough, the same to its end, and that only these two have. Where a gateway put
 * text before it, all of it must be there to the character: answers out of one template differ in a word.
 */
function chooseByText(outer: Sight, field: Field, basis: TextBasis): Choice | undefined {
  const candidates = field.alike(basis, (inner) => nests(outer, inner, field.slackNs));
  if (candidates === undefined) return basis === 'content' ? 'ambiguous' : undefined;
  const judged = withoutNested(candidates).map((inner) => ({ inner, match: matchTexts(outer, inner) }));
  const [one, ...others] = judged.filter(
    (each) =>
      each.inner.endedAtNs !== undefined &&
      isPossible(each, field.slackNs) &&
      each.match.sureChars >= HASH_STEP_CHARS &&
      (basis === 'content' ? each.match.agreement === 'equal' : hasSameEnd(each.match)),
  );
  if (one === undefined) return undefined;
  const rivals = field.rivals(basis).filter((rival) => nests(rival, one.inner, field.slackNs));
  if (others.length > 0 || rivals.length > SIGHTS_PER_ID_MAX_COUNT) return 'ambiguous';
  if (rivalry(outer, one, rivals, field.slackNs) === 'surely') return 'ambiguous';
  return pairOf(one, 'content', { judged, isAlone: false });
}

/** All of a lane is the end of the other one, and a good part of it. */
function hasSameEnd({ pairs }: TextMatch): boolean {
  return pairs.some((pair) => {
    const [longest, isOne] = [Math.max(pair.outer.lengthChars, pair.inner.lengthChars), pair.stretches.length === 1];
    const isWhole = Math.min(pair.outer.lengthChars, pair.inner.lengthChars) === pair.commonChars;
    return isOne && isWhole && endsAlike(pair) && pair.commonChars * ENDING_RATIO >= longest;
  });
}

/** The span that we named to the hop is the one that asked: then no other exchange of the trace matters. */
function narrowed(outer: Sight, fitting: readonly Sight[], basis: PairBasis) {
  const { sentSpanId } = outer.ids;
  const asked = basis === 'trace' && sentSpanId !== undefined;
  const children = asked ? fitting.filter(({ ids }) => ids.parentSpanId === sentSpanId) : [];
  const isExact = children.length > 0;
  return { group: withoutNested(isExact ? children : fitting), isExact };
}

/** Behind two hops in a row there are two sights; the nearer one, before the second hop, is the pair. */
function withoutNested(sights: readonly Sight[]): readonly Sight[] {
  const edges = sights.filter(({ edge }) => edge !== undefined);
  return sights.filter((sight) => !edges.some((edge) => edge !== sight && isInside(sight, edge)));
}

function isInside(sight: Sight, edge: Sight): boolean {
  return sight.openedAtNs >= edge.openedAtNs && sight.openedAtNs <= (edge.endedAtNs ?? Infinity);
}

function isPossible({ match }: Judged, slackNs: number): boolean {
  return match.agreement !== 'differs' && !match.pairs.some((pair) => isBeforeItsCause(pair, slackNs));
}

/** From the surest agreement to the least. */
const AGREEMENTS = ['equal', 'whole', 'near', 'part'] as const;
/** Those that say that it is the text, and not that some of it is the same. */
const SAYING: ReadonlySet<TextMatch['agreement']> = new Set(AGREEMENTS.slice(0, 3));

/** Those that content speaks for the most. */
function bestOf(possible: readonly Judged[]): readonly Judged[] {
  const by = AGREEMENTS.map((agreement) => possible.filter(({ match }) => match.agreement === agreement));
  return by.find((some) => some.length > 0) ?? [];
}

/** Of several with the same text, the one that a further id names. */
function theOne(outer: Sight, confirmed: readonly Judged[]): Judged | undefined {
  if (confirmed.length === 1) return confirmed[0];
  const named = confirmed.filter(({ inner }) => sharesId(outer, inner));
  return named.length === 1 ? named[0] : undefined;
}

function sharesId({ ids: one }: Sight, { ids: other }: Sight): boolean {
  return (
    (one.responseId !== undefined && one.responseId === other.responseId) ||
    (one.requestId !== undefined && one.requestId === other.requestId)
  );
}

/** Whether another outer exchange could be the one that this inner one belongs to. */
function rivalry(
  outer: Sight,
  { inner, match: own }: Judged,
  rivals: readonly Sight[],
  slackNs: number,
): 'no' | 'perhaps' | 'surely' {
  const fitting = rivals.filter((rival) => rival.id !== outer.id && nests(rival, inner, slackNs));
  const named = sharesId(outer, inner);
  let contested: 'no' | 'perhaps' = 'no';
  for (const rival of fitting) {
    if (named && !sharesId(rival, inner)) continue;
    if (rival.endedAtNs === undefined) {
      contested = 'perhaps';
      continue;
    }
    const match = matchTexts(rival, inner);
    if (!isPossible({ inner, match }, slackNs)) continue;
    if (match.agreement !== 'unknown') {
      if (isClaim(match, own)) return 'surely';
      continue;
    }
    contested = 'perhaps';
  }
  return contested;
}

/** Whose text is in part the same, as of one template, claims nothing that is wholly another's. */
function isClaim({ agreement }: TextMatch, own: TextMatch): boolean {
  const isSure = own.sureChars >= HASH_STEP_CHARS && (own.agreement === 'equal' || own.agreement === 'whole');
  return !isSure || agreement === 'equal' || agreement === 'whole';
}

function pairOf(
  { inner, match }: Judged,
  basis: PairBasis,
  { judged, isAlone }: { readonly judged: readonly Judged[]; readonly isAlone: boolean },
): Pair {
  const failedTries = isAlone ? judged.map((one) => one.inner).filter((one) => one !== inner && hasFailed(one)) : [];
  return { inner, basis, confirmed: match.agreement !== 'unknown', failedTries, match };
}

/** A try that brought no answer: what a gateway tries again. */
function hasFailed({ outcome, facts }: Sight): boolean {
  if (outcome === undefined || outcome === 'client_abort') return false;
  return outcome !== 'ok' || (facts.status ?? 200) >= 400;
}
