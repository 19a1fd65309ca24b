// The first lines of the picture: which sidecar this is, whether it is well, and whether what is below is current.
import { showCount } from '../spread.ts';
import type { Link, TopView } from './model.ts';
import type { Style } from './paint.ts';
import type { Picture } from './picture.ts';
import { clean, cut, fit, spanText, widthOf, wrap } from './text.ts';

/** A restart is told so long. */
const RESTART_TOLD_MS = 60_000;
const STATUS_LINES_MAX_COUNT = 4;
/** With fewer rows a warning in full would stand in the place of all that it warns about. */
const ROWS_FOR_SENTENCES = 16;

export function headLine({ view, choices, width, paint }: Picture): string {
  const { about, state, link } = view;
  const readiness = state === undefined ? undefined : readyWord(state.ready.ok);
  const facts = [
    ...(about === undefined ? [] : [`up ${spanText(Math.max(0, view.atEpochMs - about.startedAtEpochMs))}`]),
    ...(about === undefined ? [view.url] : [`${showCount(view.openCount)} open`]),
    ...(view.exchangesPerSecond === undefined ? [] : [`${view.exchangesPerSecond.toFixed(1)} exchanges/s`]),
    ...(about === undefined ? [] : [view.url]),
  ];
  const name = `rubato${about === undefined ? '' : ` ${clean(about.version)}`}`;
  const mode = choices.isPaused ? 'paused' : link.word;
  const left = [name, ...(readiness === undefined ? [] : [readiness.text]), ...facts];
  // What is known of the link stands at the right edge whatever else has to be cut for it.
  const room = Math.max(0, width - widthOf(mode) - 2);
  const text = fit(left.join('  '), room);
  const painted = readiness === undefined ? paint('bold', text) : paintWord(text, readiness, paint);
  return cutPainted(painted, room, width, `  ${paint(modeStyle(link, choices.isPaused), mode)}`);
}

/** Sentences about what is not as it should be. */
export function statusLines({ view, choices, width, paint, nowEpochMs }: Picture, rows: number): string[] {
  const sentences: [Style, string][] = [];
  const linkSays = linkSentence(view, choices.isPaused, nowEpochMs);
  if (linkSays !== undefined) sentences.push(['bad', linkSays]);
  const { restartedAtEpochMs } = view;
  if (restartedAtEpochMs !== undefined && nowEpochMs - restartedAtEpochMs < RESTART_TOLD_MS)
    sentences.push([
      'warn',
      `The sidecar was restarted ${ago(restartedAtEpochMs, nowEpochMs)}; its figures begin anew.`,
    ]);
  const { ready, self } = view.state ?? {};
  if (ready?.ok === false) sentences.push(['bad', `Not ready: ${ready.reasons.join('; ')}`]);
  for (const warning of self?.warnings ?? []) sentences.push(['warn', warning]);
  if (rows < ROWS_FOR_SENTENCES) return sentences.slice(0, 1).map(([style, text]) => paint(style, cut(text, width)));
  const lines = sentences.flatMap(([style, text]) => wrap(text, width).map((line) => paint(style, line)));
  return lines.slice(0, STATUS_LINES_MAX_COUNT);
}

function readyWord(isOk: boolean): { readonly text: string; readonly style: Style } {
  return isOk ? { text: 'ready', style: 'good' } : { text: 'NOT READY', style: 'bad' };
}

function paintWord(
  text: string,
  { text: word, style }: { text: string; style: Style },
  paint: Picture['paint'],
): string {
  const at = text.indexOf(word);
  if (at === -1) return text;
  return `${paint('bold', text.slice(0, at))}${paint(style, word)}${text.slice(at + word.length)}`;
}

/** In a terminal too narrow for both, only the link is told. */
function cutPainted(painted: string, room: number, width: number, mode: string): string {
  return room > 0 ? painted + mode : cut(mode.trimStart(), width);
}

function modeStyle(link: Link, isPaused: boolean): Style {
  if (isPaused) return 'accent';
  if (link.word === 'live') return 'good';
  return link.word === 'connecting' ? 'dim' : 'bad';
}

/** A picture that is held asks for nothing. */
const PAUSED = 'It is tried again when the picture goes on (p).';

function linkSentence({ link, about }: TopView, isPaused: boolean, nowEpochMs: number): string | undefined {
  const since = ago(link.sinceEpochMs, nowEpochMs);
  const says = link.says === undefined ? '' : `: ${link.says}`;
  const rest = about === undefined ? '' : ' What is below is what was seen last.';
  switch (link.word) {
    case 'live':
    case 'connecting':
      return undefined;
    case 'busy':
      return `The sidecar's main thread has not answered for ${span(link, nowEpochMs)}; streams are not touched by that.${rest}`;
    case 'lost':
      return `The sidecar was lost ${since}${says}. ${isPaused ? PAUSED : 'Trying to reach it again.'}${rest}`;
    case 'refused':
      return `The sidecar does not let us watch${says}. ${isPaused ? PAUSED : 'Trying again.'}${rest}`;
  }
}

function span({ sinceEpochMs }: Link, nowEpochMs: number): string {
  return spanText(nowEpochMs - sinceEpochMs);
}

function ago(atEpochMs: number, nowEpochMs: number): string {
  return `${spanText(nowEpochMs - atEpochMs)} ago`;
}
