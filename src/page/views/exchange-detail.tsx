// The picture of one exchange, from what is known of it: where its time went, how its text arrived, what stalled it,
// and what the rules say. Same for the live page and for a report.
import { useMemo } from 'preact/hooks';
import type { Report } from '../../judge/report.ts';
import type { OpenDetail } from '../../telemetry/live/open-detail.ts';
import { ExchangeArrival } from './exchange-arrival.tsx';
import { ExchangeHead } from './exchange-head.tsx';
import { pictureOfOpen, pictureOfReport } from './exchange-picture.ts';
import { ExchangeStalls, OpenStalls } from './exchange-stalls.tsx';
import { ExchangeVerdicts } from './exchange-verdicts.tsx';
import { ExchangeWaterfall } from './exchange-waterfall.tsx';

export interface ExchangeDetailProps {
  readonly detail: Report | OpenDetail;
  readonly about?: { readonly traceUrl?: string } | undefined;
  /** Where the same is to be had as JSON; absent in a report. */
  readonly rawUrl?: string;
  /** Most of its events were left out, so a curve of them would be false. */
  readonly isThinned?: boolean;
}

export function ExchangeDetail({ detail, about, rawUrl, isThinned = false }: ExchangeDetailProps) {
  const picture = useMemo(() => ('open' in detail ? pictureOfOpen(detail) : pictureOfReport(detail)), [detail]);
  return (
    <div class="exchange-detail">
      <ExchangeHead picture={picture} detail={detail} traceUrl={about?.traceUrl} rawUrl={rawUrl} />
      <ExchangeWaterfall picture={picture} />
      <ExchangeArrival picture={picture} isThinned={isThinned} hop={'open' in detail ? undefined : detail.record.hop} />
      {'open' in detail ? (
        <OpenStalls stalls={detail.stalls} openedAtEpochMs={picture.openedAtEpochMs} />
      ) : (
        <>
          <ExchangeStalls report={detail} />
          <ExchangeVerdicts report={detail} />
        </>
      )}
    </div>
  );
}
