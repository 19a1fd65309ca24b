// How the text of one exchange arrived: as received and as flushed, and where it was seen on both sides of a hop, the
// two curves laid over each other with the hold between them.
import { useMemo, useState } from 'preact/hooks';
import type { HopFacts } from '../../record/hop-facts.ts';
import { CurveChart, type CurveSeries } from '../charts/curve-chart.tsx';
import type { MarkBand, MarkLine } from '../charts/marks.ts';
import { count, span, word } from '../format.ts';
import { byteCurves, eventCurves, hopCurves } from './exchange-curves.ts';
import type { ExchangePicture } from './exchange-picture.ts';

export interface ExchangeArrivalProps {
  readonly picture: ExchangePicture;
  readonly hop: HopFacts | undefined;
  readonly isThinned: boolean;
}

const CHART_PX = 240;
const NS_PER_MS = 1e6;

export function ExchangeArrival({ picture, hop, isThinned }: ExchangeArrivalProps) {
  return (
    <section class="arrival">
      <Arrival picture={picture} hasEvents={picture.hasText && !isThinned} />
      {hop === undefined || hop.curve.endChars.length === 0 ? undefined : <HopArrival picture={picture} hop={hop} />}
    </section>
  );
}

interface ArrivalProps {
  readonly picture: ExchangePicture;
  /** Generated events are known one by one; else bytes are all there is. */
  readonly hasEvents: boolean;
}

function Arrival({ picture, hasEvents }: ArrivalProps) {
  const { chunks, events, endAtNs, stalls, firstTokenAtNs } = picture;
  const [inBytes, setInBytes] = useState(false);
  const byEvents = hasEvents && !inBytes;
  const series = useMemo((): [CurveSeries, CurveSeries] => {
    const { received, flushed } = byEvents ? eventCurves(chunks, events) : byteCurves(chunks);
    return [
      { name: 'received', curve: received, color: '--tick-received' },
      { name: 'flushed', curve: flushed, color: '--part-rubato', dash: [4, 3] },
    ];
  }, [chunks, events, byEvents]);
  const bands = useMemo(() => stallBands(stalls), [stalls]);
  const lines = useMemo((): MarkLine[] => {
    const marks = stalls.map(({ atNs, gapNs, cause }) => ({
      at: (atNs - gapNs) / NS_PER_MS,
      label: `${cause === undefined || cause === 'unknown' ? 'stall' : word(cause)} ${span(gapNs / NS_PER_MS)}`,
      color: '--bad',
    }));
    const first =
      firstTokenAtNs === undefined ? [] : [{ at: firstTokenAtNs / NS_PER_MS, label: 'first token', color: '--muted' }];
    return [...first, ...marks];
  }, [stalls, firstTokenAtNs]);
  const unit = byEvents ? 'generated events' : 'bytes';
  const total = series[0].curve.level.at(-1);
  if (total === undefined) return <p class="empty">Nothing of the answer's body has come, so there is no curve.</p>;
  return (
    <>
      <h3>
        How it arrived
        {hasEvents ? (
          <button type="button" aria-pressed={inBytes} onClick={() => setInBytes(!inBytes)}>
            {inBytes ? 'in generated events' : 'in bytes'}
          </button>
        ) : undefined}
      </h3>
      <CurveChart
        series={series}
        toMs={endAtNs / NS_PER_MS}
        unit={unit}
        lines={lines}
        bands={bands}
        heightPx={CHART_PX}
        label={`${count(total)} ${unit} over ${span(endAtNs / NS_PER_MS)}, ${count(stalls.length)} stalls marked.`}
      />
      <p class="note">Drag to look closer, double click for all of it. Red bands are stalls.</p>
    </>
  );
}

function stallBands(stalls: ExchangePicture['stalls']): MarkBand[] {
  return stalls.map(({ atNs, gapNs }) => ({
    from: (atNs - gapNs) / NS_PER_MS,
    to: atNs / NS_PER_MS,
    color: '--stall-soft',
  }));
}

const NOTHING: readonly never[] = [];

function HopArrival({ picture, hop }: { readonly picture: ExchangePicture; readonly hop: HopFacts }) {
  const series = useMemo((): [CurveSeries, CurveSeries] => {
    const { inner, outer } = hopCurves(hop.curve);
    return [
      { name: 'went into the hop', curve: inner, color: '--part-engine' },
      { name: 'came out of it', curve: outer, color: '--bad', dash: [4, 3] },
    ];
  }, [hop]);
  return (
    <>
      <h3>
        On both sides of {hop.name} <small>the shaded room between the curves is text that was held</small>
      </h3>
      <CurveChart
        series={series}
        toMs={picture.endAtNs / NS_PER_MS}
        unit="characters"
        lines={NOTHING}
        bands={NOTHING}
        isShaded
        heightPx={CHART_PX}
        label={`${count(series[0].curve.level.at(-1))} characters went into ${hop.name}; the curves show when, and when they came out.`}
      />
    </>
  );
}
