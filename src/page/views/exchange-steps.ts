// The way of one exchange from mark to mark, as the bars of a waterfall. A step whose two marks are not both known is
// left out, never guessed. Pure.
import type { ExchangePicture } from './exchange-picture.ts';

export interface Step {
  readonly name: string;
  /** From which event to which. */
  readonly meaning: string;
  readonly fromNs: number;
  readonly toNs: number;
  /** Variable of the theme. */
  readonly color: string;
}

export interface Mark {
  readonly name: string;
  readonly atNs: number;
}

/** In the order of the marks; only those that are known. */
export function marksOf(picture: ExchangePicture): Mark[] {
  const { marks, firstChunkAtNs, firstTokenAtNs, lastTokenAtNs, ttftNs, endAtNs, isOpen } = picture;
  const all: readonly (readonly [string, number | undefined])[] = [
    ['head in', 0],
    ['admitted', marks.admittedAtNs],
    ['upload ended', marks.uploadEndAtNs],
    ['connection asked for', marks.connectStartAtNs],
    ['connected', marks.connectedAtNs],
    ['request sent', marks.requestSentAtNs],
    ['head received', marks.headReceivedAtNs],
    ['head written', marks.headWrittenAtNs],
    ['first chunk', firstChunkAtNs],
    ['first token', firstTokenAtNs],
    ['first token delivered', ttftNs],
    ['last token', lastTokenAtNs],
    ["engine's end", marks.upstreamEndAtNs],
    [isOpen ? 'now' : 'end', endAtNs],
  ];
  return all
    .flatMap(([name, atNs]) => (atNs === undefined ? [] : [{ name, atNs }]))
    .toSorted((a, b) => a.atNs - b.atNs);
}

export function stepsOf(picture: ExchangePicture): Step[] {
  const { marks, firstChunkAtNs, firstTokenAtNs, lastTokenAtNs, endAtNs, isOpen } = picture;
  const sentAtNs = marks.requestSentAtNs;
  const headAtNs = marks.headReceivedAtNs;
  // What is still being waited for lasts until now.
  const nextNs = isOpen ? endAtNs : undefined;
  const network = '--part-network';
  const engine = '--part-engine';
  const text = '--accent';
  return [
    step('turn', 'request head received → admitted', [0, marks.admittedAtNs], '--part-rubato'),
    step(
      'upload',
      'request head received → its last byte received',
      [marks.admittedAtNs ?? 0, marks.uploadEndAtNs],
      network,
    ),
    step('connect', 'connection asked for → ready', [marks.connectStartAtNs, marks.connectedAtNs], network),
    step(
      'send',
      'request and connection are there → last byte of the request sent',
      [latest(marks.connectedAtNs, marks.uploadEndAtNs), sentAtNs],
      '--part-rubato',
    ),
    step('until the head', 'request sent → response head received', [sentAtNs, headAtNs ?? nextNs], engine),
    step(
      'until a chunk',
      'head received → first bytes of the body',
      [headAtNs, firstChunkAtNs ?? waits(headAtNs, nextNs)],
      engine,
    ),
    step(
      'until a token',
      'first bytes → first generated fragment',
      [firstChunkAtNs, firstTokenAtNs ?? waits(firstChunkAtNs, nextNs)],
      engine,
    ),
    step('tokens', 'first generated fragment → last', [firstTokenAtNs, lastTokenAtNs], text),
    step(
      'rest',
      isOpen ? 'last generated fragment → now' : 'last generated fragment → end',
      [lastTokenAtNs, endAtNs],
      '--part-other',
    ),
  ].flatMap((each) => each ?? []);
}

function step(
  name: string,
  meaning: string,
  ends: readonly [number | undefined, number | undefined],
  color: string,
): Step | undefined {
  const [fromNs, toNs] = ends;
  // An engine may answer before it has the whole request; a step that would end before it begins did not take place.
  if (fromNs === undefined || toNs === undefined || toNs < fromNs) return undefined;
  return { name, meaning, fromNs, toNs, color };
}

function waits(sinceNs: number | undefined, nextNs: number | undefined): number | undefined {
  return sinceNs === undefined ? undefined : nextNs;
}

function latest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.flatMap((moment) => moment ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}
