// Draws results as SVG: one panel a figure, in it one bar a contender with the extremes of its turns. Pure, and of no
// library, so that the picture is the same wherever it is made.
import type { Spread } from '../harness/stats.ts';

export interface Bar extends Spread {
  readonly name: string;
  /** Drawn pale: the figure does not count. */
  readonly isVoid: boolean;
  /** Drawn in the colour of what the bench is about. */
  readonly isOwn: boolean;
}

export interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 760;
const NAME_WIDTH = 220;
const VALUE_WIDTH = 90;
const BAR_HEIGHT = 18;
const TITLE_HEIGHT = 34;
const GAP = 14;
const COLOURS = { own: '#b3460f', other: '#5b7083', ink: '#1c2329', paper: '#ffffff', whisker: '#1c2329' };

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Pixels with one decimal: more would only make files differ. */
const px = (value: number): string => value.toFixed(1);

export function barsSvg(panels: readonly Panel[], short: (value: number) => string): string {
  const parts: string[] = [];
  let y = GAP;
  for (const panel of panels) {
    parts.push(`<text x="${GAP}" y="${y + 16}" font-weight="bold">${escapeXml(panel.title)}</text>`);
    y += TITLE_HEIGHT;
    const most = panel.bars.reduce((max, bar) => Math.max(max, bar.max), 0);
    for (const bar of panel.bars) {
      parts.push(barSvg(bar, y, most, short));
      y += BAR_HEIGHT + 6;
    }
    y += GAP;
  }
  const size = `width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="13" fill="${COLOURS.ink}">`,
    `<rect width="${WIDTH}" height="${y}" fill="${COLOURS.paper}"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function barSvg(bar: Bar, y: number, most: number, short: (value: number) => string): string {
  const room = WIDTH - NAME_WIDTH - VALUE_WIDTH - GAP;
  // Added times can be below 0 when a proxy's turn was luckier than the direct one; a bar begins at 0.
  const at = (value: number): number => NAME_WIDTH + (most > 0 ? (Math.max(0, value) / most) * room : 0);
  const middle = y + BAR_HEIGHT / 2;
  const colour = bar.isOwn ? COLOURS.own : COLOURS.other;
  return [
    `<text x="${NAME_WIDTH - 8}" y="${px(middle + 4)}" text-anchor="end">${escapeXml(bar.name)}</text>`,
    `<rect x="${NAME_WIDTH}" y="${y}" width="${px(at(bar.median) - NAME_WIDTH)}" height="${BAR_HEIGHT}" fill="${colour}"${bar.isVoid ? ' opacity="0.35"' : ''}/>`,
    `<line x1="${px(at(bar.min))}" x2="${px(at(bar.max))}" y1="${px(middle)}" y2="${px(middle)}" stroke="${COLOURS.whisker}"/>`,
    `<text x="${px(at(bar.max) + 6)}" y="${px(middle + 4)}">${escapeXml(short(bar.median))}${bar.isVoid ? ' (void)' : ''}</text>`,
  ].join('\n');
}
