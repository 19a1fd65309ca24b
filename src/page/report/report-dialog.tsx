// One of the report's exchanges in a dialog, opened by the address, so that the Back key closes it and a link leads to
// it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorstExchange } from '../../telemetry/report-data.ts';
import { streamOfHash } from '../shell/route.ts';
import { ExchangeDetail } from '../views/exchange-detail.tsx';

export function ReportDialog({ worst }: { readonly worst: readonly WorstExchange[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [id, setId] = useState(() => streamOfHash(location.hash));
  useEffect(() => {
    const onHash = (): void => setId(streamOfHash(location.hash));
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  const found = worst.find(({ report }) => report.record.id === id);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (found !== undefined && !element.open) element.showModal();
    if (found === undefined && element.open) element.close();
  }, [found]);
  // Back to no exchange, without a jump to the top as an empty hash would make.
  const onClose = (): void => {
    if (streamOfHash(location.hash) === undefined) return;
    history.pushState(undefined, '', location.pathname + location.search);
    setId(undefined);
  };
  return (
    <dialog ref={dialog} class="exchange-dialog" aria-labelledby="exchange-title" onClose={onClose}>
      {found === undefined ? undefined : (
        <>
          <div class="dialog-head">
            <h2 id="exchange-title">Exchange {id}</h2>
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          <div class="dialog-body">
            {found.isThinned ? (
              <p class="note">
                It had more chunks than a report carries: some were left out, and the curve is of bytes.
              </p>
            ) : undefined}
            <ExchangeDetail key={id} detail={found.report} isThinned={found.isThinned} />
          </div>
        </>
      )}
    </dialog>
  );
}
