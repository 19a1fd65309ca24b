// A uPlot chart as a component: made once, given new data in place, made anew when its options, its width or the
// theme change. Knows nothing of what is drawn.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './charts.css';
import { onThemeChange, themeColor } from './colors.ts';

export interface PlotProps {
  readonly data: uPlot.AlignedData;
  /** Everything but the size. Give a new function only when the options differ: the chart is made anew. */
  readonly options: () => Omit<uPlot.Options, 'width' | 'height'>;
  readonly heightPx: number;
  /** What a screen reader says in place of the picture. */
  readonly label: string;
}

const LEAST_WIDTH_PX = 200;

export function Plot({ data, options, heightPx, label }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const widthPx = (): number => Math.max(LEAST_WIDTH_PX, Math.floor(element.clientWidth));
    const make = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot({ ...options(), width: widthPx(), height: heightPx }, latest.current, element);
    };
    make();
    const resized = new ResizeObserver(() => {
      const width = widthPx();
      if (plot.current !== undefined && plot.current.width !== width) plot.current.setSize({ width, height: heightPx });
    });
    resized.observe(element);
    const stopTheme = onThemeChange(make);
    return () => {
      stopTheme();
      resized.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [options, heightPx]);

  useEffect(() => {
    if (plot.current !== undefined && plot.current.data !== data) plot.current.setData(data);
  }, [data]);

  return <div class="plot" ref={host} role="img" aria-label={label} />;
}

/** An axis in the theme's own colours. */
export function axis(overrides: Partial<uPlot.Axis>): uPlot.Axis {
  const line = { stroke: themeColor('--line'), width: 1 };
  return {
    stroke: themeColor('--muted'),
    grid: line,
    ticks: { ...line, size: 4 },
    font: `11px ${themeColor('--font')}`,
    labelFont: `11px ${themeColor('--font')}`,
    labelSize: 16,
    ...overrides,
  };
}
