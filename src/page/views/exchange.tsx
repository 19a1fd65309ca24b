// One exchange, looked at closely. Fetches it and shows it; the picture itself is shared with the report.
import type { LiveAbout } from '../../telemetry/live/frame.ts';

/** What the picture needs to know of the feed; a report knows less. */
export type ExchangeAbout = Pick<LiveAbout, 'traceUrl'>;

export interface ExchangeProps {
  readonly id: string;
  readonly about?: ExchangeAbout | undefined;
}

export function ExchangeView({ id }: ExchangeProps) {
  return <p>{id}</p>;
}
