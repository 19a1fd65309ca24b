// What the cards of a grading mean, in sentences, the worst first. Pure; every sentence rests on the difference
// between the two ways of one call.
import { showMs } from '../spread.ts';
import { GRADE_CHANGES, type CaseCard, type GradeChange } from './compare.ts';
import type { StartCard } from './start.ts';

export interface Finding {
  readonly weight: 'bad' | 'note';
  readonly says: string;
  /** Cases that show it. */
  readonly cases: readonly string[];
}

const NS_PER_MS = 1e6;
/** What a reader notices at the start of every answer, once it adds up over hops. */
const START_NS = 5 * NS_PER_MS;
/** Of the median text; a hop that passes adds less than one. */
const HOLD_NS = 8 * NS_PER_MS;
const LATE_NS = 20 * NS_PER_MS;
const HEAD_NS = 50 * NS_PER_MS;
const ABORT_NS = 100 * NS_PER_MS;
/** Cases with enough text to say how it is passed on. */
const RHYTHMS = new Set(['steady-20', 'steady-5', 'bursts', 'silence', 'comments', 'early-head', 'tool-call', 'crlf']);

/** A reader would miss something, or be told something that is not so; the rest is good to know. */
const BAD: ReadonlySet<GradeChange> = new Set([
  'no_answer',
  'status_changed',
  'text_changed',
  'terminal_lost',
  'error_lost',
  'cut_hidden',
  'cut_added',
  'never_ended',
  'abort_not_passed',
]);

export function findingsOf(start: StartCard, cards: readonly CaseCard[]): Finding[] {
  const findings = [...startFindings(start), ...holdFindings(cards), ...headFindings(cards), ...changeFindings(cards)];
  return findings.toSorted((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'));
}

function startFindings({ askAddedNs, firstHoldAddedNs, laterHoldAddedNs }: StartCard): Finding[] {
  const findings: Finding[] = [];
  const only = firstHoldAddedNs - laterHoldAddedNs;
  if (only >= START_NS) {
    const says = `holds the first text of a stream ${showMs(firstHoldAddedNs)} ms, later text ${showMs(laterHoldAddedNs)} ms`;
    findings.push({ weight: 'bad', says, cases: ['start'] });
  }
  if (askAddedNs >= START_NS) {
    findings.push({
      weight: 'note',
      says: `takes ${showMs(askAddedNs)} ms before it asks the engine`,
      cases: ['start'],
    });
  }
  return findings;
}

/** By the median: on a busy machine single texts are late whoever passes them on. */
function holdFindings(cards: readonly CaseCard[]): Finding[] {
  const rhythms = cards.filter(({ name }) => RHYTHMS.has(name));
  const held = rhythms.filter((card) => added(card, 'holdP50Ns') >= HOLD_NS);
  const [worst] = held.toSorted((a, b) => added(b, 'holdP50Ns') - added(a, 'holdP50Ns'));
  if (worst !== undefined)
    return [{ weight: 'bad', says: `holds text: ${holdWords(worst)}`, cases: held.map(({ name }) => name) }];
  const late = rhythms.filter((card) => added(card, 'holdP95Ns') >= LATE_NS);
  const [latest] = late.toSorted((a, b) => added(b, 'holdP95Ns') - added(a, 'holdP95Ns'));
  if (latest === undefined) return [];
  const says = `is late with some text, if it is not this machine: ${holdWords(latest)}`;
  return [{ weight: 'note', says, cases: late.map(({ name }) => name) }];
}

function holdWords({ title, through }: CaseCard): string {
  const { holdP50Ns, holdP95Ns, holdMaxNs, heldBytes, coalescedRatio = 0 } = through;
  const together = Math.round(coalescedRatio * 100);
  return (
    `in “${title}” ${showMs(holdP50Ns)} ms at the median, ${showMs(holdP95Ns)} at p95, ${showMs(holdMaxNs)} at most, ` +
    `up to ${heldBytes} bytes; ${together} % of writes came out with another one`
  );
}

function headFindings(cards: readonly CaseCard[]): Finding[] {
  const findings: Finding[] = [];
  const early = cards.find(({ name }) => name === 'early-head');
  if (early !== undefined && added(early, 'headNs') >= HEAD_NS) {
    const says = `holds the head ${showMs(added(early, 'headNs'))} ms, as long as there is no body`;
    findings.push({ weight: 'note', says, cases: [early.name] });
  }
  const late = cards.filter((card) => added(card, 'abortNs') >= ABORT_NS);
  if (late.length > 0) {
    const most = Math.max(...late.map((card) => added(card, 'abortNs')));
    const says = `tells the engine only ${showMs(most)} ms later that the client has left`;
    findings.push({ weight: 'note', says, cases: late.map(({ name }) => name) });
  }
  return findings;
}

function changeFindings(cards: readonly CaseCard[]): Finding[] {
  return (Object.keys(GRADE_CHANGES) as GradeChange[]).flatMap((change) => {
    const cases = cards.filter(({ changes }) => changes.includes(change)).map(({ name }) => name);
    if (cases.length === 0) return [];
    return [{ weight: BAD.has(change) ? ('bad' as const) : ('note' as const), says: GRADE_CHANGES[change], cases }];
  });
}

/** What the gateway adds to a length; nothing where it is not known both ways. */
export function added(
  { direct, through }: CaseCard,
  name: 'ttftNs' | 'holdP50Ns' | 'holdP95Ns' | 'headNs' | 'abortNs',
): number {
  const [before, after] = [direct[name], through[name]];
  return before === undefined || after === undefined ? 0 : after - before;
}
