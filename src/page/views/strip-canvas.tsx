// The strip of one stream on a canvas: what was received above, what the kernel took for the client below, stalls as
// hatched bands. Decides nothing; strip-picture.ts says what to draw.
import { useEffect, useRef } from 'preact/hooks';
import { themeColor } from '../charts/colors.ts';
import { stripPicture, type StallBand, type StripPicture } from './strip-picture.ts';
import type { StreamRow } from './streams-row.ts';

export interface StripCanvasProps {
  readonly row: StreamRow;
  readonly atEpochMs: number;
  readonly binMs: number;
  readonly stripMs: number;
  /** Which of the two themes holds: with another one the strip is drawn anew. */
  readonly isDark: boolean;
}

export function StripCanvas(props: StripCanvasProps) {
  const { row, atEpochMs, binMs, stripMs, isDark } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const isSized = useRef(false);
  const draw = useRef<() => void>(() => undefined);
  draw.current = () => {
    if (canvas.current !== null && isSized.current) drawStrip(canvas.current, props);
  };
  // The size is told and not asked for: a question would have the browser lay the page out at once, row by row.
  // The first call of an observer comes by itself, with the size of the first layout.
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry === undefined) return;
      element.width = Math.round(entry.contentRect.width * devicePixelRatio);
      element.height = Math.round(entry.contentRect.height * devicePixelRatio);
      isSized.current = true;
      draw.current();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    draw.current();
  }, [row, atEpochMs, binMs, stripMs, isDark]);
  return <canvas ref={canvas} class="strip" aria-hidden="true" />;
}

interface Ink {
  readonly isDark: boolean;
  readonly received: string;
  readonly flushed: string;
  readonly line: string;
  readonly stall: string;
  readonly stallSoft: string;
}

/** Asked for once a theme: thirty rows are drawn at a time, and each question costs a look at all styles. */
let known: Ink | undefined;

function inkOf(isDark: boolean): Ink {
  if (known?.isDark !== isDark) {
    known = {
      isDark,
      received: themeColor('--tick-received'),
      flushed: themeColor('--tick-flushed'),
      line: themeColor('--line-strong'),
      stall: themeColor('--stall'),
      stallSoft: themeColor('--stall-soft'),
    };
  }
  return known;
}

function drawStrip(element: HTMLCanvasElement, { row, isDark, ...time }: StripCanvasProps): void {
  const { width, height } = element;
  if (width === 0 || height === 0) return;
  const context = element.getContext('2d');
  if (context === null) return;
  context.clearRect(0, 0, width, height);
  const picture = stripPicture(row, { ...time, widthPx: width });
  const ink = inkOf(isDark);
  for (const band of picture.stalls) drawStall(context, band, devicePixelRatio, ink);
  drawTicks(context, picture, ink);
}

function drawTicks(context: CanvasRenderingContext2D, { life, received, flushed }: StripPicture, ink: Ink): void {
  const middle = Math.round(context.canvas.height / 2);
  const reach = middle - 1;
  context.fillStyle = ink.line;
  context.fillRect(Math.floor(life.fromPx), middle, Math.max(1, Math.ceil(life.toPx) - Math.floor(life.fromPx)), 1);
  context.fillStyle = ink.received;
  received.forEach((tick, x) => {
    if (tick > 0) context.fillRect(x, middle - Math.round(tick * reach), 1, Math.round(tick * reach));
  });
  context.fillStyle = ink.flushed;
  flushed.forEach((tick, x) => {
    if (tick > 0) context.fillRect(x, middle + 1, 1, Math.round(tick * reach));
  });
}

/** Hatched, so that it is seen without its colour; one that goes on is open to the right. */
function drawStall(context: CanvasRenderingContext2D, band: StallBand, scale: number, { stall, stallSoft }: Ink): void {
  const { height } = context.canvas;
  const from = Math.floor(band.fromPx);
  const width = Math.max(Math.round(2 * scale), Math.ceil(band.toPx) - from);
  context.save();
  context.beginPath();
  context.rect(from, 0, width, height);
  context.clip();
  context.fillStyle = stallSoft;
  context.fillRect(from, 0, width, height);
  context.strokeStyle = stall;
  context.lineWidth = scale;
  context.beginPath();
  for (let x = from - height; x < from + width; x += 6 * scale) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.fillStyle = stall;
  context.fillRect(from, 0, scale, height);
  if (!band.isOpen) context.fillRect(from + width - scale, 0, scale, height);
  context.restore();
}
