// One exchange, looked at closely. Asks for it and shows it, again and again while it is open; the picture itself is
// shared with the report.
import { useEffect, useState } from 'preact/hooks';
import type { LiveAbout } from '../../telemetry/live/frame.ts';
import { fetchStream, type StreamAnswer, streamUrl } from '../feed/fetch-stream.ts';
import { ExchangeDetail } from './exchange-detail.tsx';

/** What the picture needs to know of the feed; a report knows less. */
export type ExchangeAbout = Pick<LiveAbout, 'traceUrl'>;

export interface ExchangeProps {
  /** Another one is another view, by its key: this one asks for the same as long as it is there. */
  readonly id: string;
  readonly about?: ExchangeAbout | undefined;
}

/** While it is open; often enough to see it move, and seldom enough for a long one to be read. */
const ASK_EVERY_MS = 2_000;

export function ExchangeView({ id, about }: ExchangeProps) {
  const [answer, setAnswer] = useState<StreamAnswer | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const next = await fetchStream(id, stop.signal);
      if (stop.signal.aborted) return;
      // What was seen of it is worth more than that it cannot be asked for just now.
      setAnswer((before) =>
        next.kind === 'failed' && before !== undefined && before.kind !== 'failed' ? before : next,
      );
      if (next.kind === 'open' || next.kind === 'failed') timer = setTimeout(() => void ask(), ASK_EVERY_MS);
    };
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id]);
  if (answer === undefined) return <p class="empty">Asking for {id} …</p>;
  switch (answer.kind) {
    case 'gone':
      return (
        <p class="empty">
          The exchange {id} is not remembered any more: the sidecar keeps the latest few hundred. With{' '}
          <code>--record FILE</code> all are kept, and <code>rubato report FILE</code> shows them.
        </p>
      );
    case 'failed':
      return (
        <p class="empty">
          The exchange {id} cannot be shown. {answer.says} It is asked for again.
        </p>
      );
    case 'open':
      return <ExchangeDetail detail={answer.detail} about={about} rawUrl={streamUrl(id)} />;
    case 'ended':
      return <ExchangeDetail detail={answer.report} about={about} rawUrl={streamUrl(id)} />;
  }
}
