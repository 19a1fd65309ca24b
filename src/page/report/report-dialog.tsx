// One of the report's exchanges in a dialog; the address names it, so that a link leads to it.
import type { WorstExchange } from '../../telemetry/report-data.ts';
import { ExchangeDialog } from '../shell/exchange-dialog.tsx';
import { useStreamRoute } from '../shell/route.ts';
import { ExchangeDetail } from '../views/exchange-detail.tsx';

export function ReportDialog({ worst }: { readonly worst: readonly WorstExchange[] }) {
  const { id, close } = useStreamRoute();
  const found = worst.find(({ report }) => report.record.id === id);
  return (
    <ExchangeDialog id={found?.report.record.id} onClose={close}>
      {found?.isThinned === true && (
        <p class="note">It had more chunks than a report carries: some were left out, and the curve is of bytes.</p>
      )}
      {found !== undefined && <ExchangeDetail key={id} detail={found.report} isThinned={found.isThinned} />}
    </ExchangeDialog>
  );
}
