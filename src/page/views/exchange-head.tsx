// The head of one exchange: what it was, its figures in a row, its trace and where to look further.
import { useState } from 'preact/hooks';
import type { Report } from '../../judge/report.ts';
import type { OpenDetail } from '../../telemetry/live/open-detail.ts';
import { bytes, count, figure, moment, ms, word } from '../format.ts';
import type { ExchangePicture } from './exchange-picture.ts';
import { traceHref } from './exchange-trace.ts';

export interface ExchangeHeadProps {
  readonly picture: ExchangePicture;
  readonly detail: Report | OpenDetail;
  readonly traceUrl: string | undefined;
  readonly rawUrl: string | undefined;
}

const COPIED_SHOWN_MS = 1_500;
const NS_PER_MS = 1e6;

export function ExchangeHead({ picture, detail, traceUrl, rawUrl }: ExchangeHeadProps) {
  const { id, openedAtEpochMs, class: name, model, route, edge, state, isOpen, traceId } = picture;
  const figures = 'open' in detail ? openFigures(detail) : reportFigures(detail);
  return (
    <header class="exchange-head">
      <p>
        <b>{id}</b> <span class={`tag ${toneOf(state, isOpen)}`}>{word(state)}</span> {moment(openedAtEpochMs)}, class{' '}
        <b>{name}</b>, model <b>{model}</b>, route {route}
        {edge === undefined ? '' : `, seen before the hop ${edge}`}
      </p>
      <dl class="figure-row">
        {figures.map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd data-figure={`exchange.${term.replaceAll(' ', '-')}`}>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="links">
        {traceId === undefined ? 'It took no part in a trace.' : <TraceId traceId={traceId} traceUrl={traceUrl} />}
        {rawUrl === undefined ? undefined : (
          <a href={rawUrl} target="_blank" rel="noreferrer">
            as JSON
          </a>
        )}
      </p>
    </header>
  );
}

/** An exchange that its client ended need not be bad. */
function toneOf(state: string, isOpen: boolean): string {
  if (isOpen) return state === 'silent' ? 'warn' : '';
  if (state === 'ok') return 'good';
  return state.startsWith('client_') ? 'warn' : 'bad';
}

type Figure = readonly [string, string];

function reportFigures({ figures, record }: Report): Figure[] {
  return [
    ['TTFT', ms(figures.ttftNs)],
    ['first visible', ms(figures.ttfoNs)],
    ['TPOT', ms(figures.tpotNs)],
    ['gap p50', ms(figures.gapsReceived.p50Ns)],
    ['gap p99', ms(figures.gapsReceived.p99Ns)],
    ['worst gap', ms(figures.gapsReceived.maxNs)],
    ['stalls', count(figures.stallCount)],
    ['duration', ms(figures.durationNs)],
    ['chunks', count(record.response.chunkCount)],
    ['received', bytes(record.response.receivedBytes)],
    ['output tokens', count(record.tokens.output)],
    ['prompt tokens', count(record.tokens.prompt)],
    ['tokens per second', figure(figures.outputTokensPerSecond)],
    ['largest hold', ms(figures.holdMaxNs)],
  ];
}

function openFigures({ open, gapMaxMs, stallCount }: OpenDetail): Figure[] {
  const inNs = (lengthMs: number | undefined): number | undefined =>
    lengthMs === undefined ? undefined : lengthMs * NS_PER_MS;
  return [
    ['age', ms(inNs(open.ageMs))],
    ['silent for', ms(inNs(open.silentMs))],
    ['worst gap', ms(inNs(gapMaxMs))],
    ['stalls', count(stallCount)],
    ['chunks', count(open.chunkCount)],
    ['kernel holds', bytes(open.clientUnackedBytes)],
  ];
}

interface TraceIdProps {
  readonly traceId: string;
  readonly traceUrl: string | undefined;
}

function TraceId({ traceId, traceUrl }: TraceIdProps) {
  const [said, setSaid] = useState<string | undefined>(undefined);
  const copy = async (): Promise<void> => {
    setSaid((await copied(traceId)) ? 'copied' : 'select and copy it by hand');
    setTimeout(() => setSaid(undefined), COPIED_SHOWN_MS);
  };
  const href = traceHref(traceUrl, traceId);
  return (
    <>
      <span>
        trace <code>{traceId}</code>
      </span>
      <button type="button" onClick={() => void copy()}>
        copy
      </button>
      <span role="status">{said}</span>
      {href === undefined ? undefined : (
        <a href={href} target="_blank" rel="noreferrer">
          open the trace
        </a>
      )}
    </>
  );
}

/** The clipboard is there only where the page came by https or from this machine. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Refused by the browser or its user; the caller says what to do instead.
    return false;
  }
}
