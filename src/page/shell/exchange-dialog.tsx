// The dialog in which one exchange is looked at closely, on the live page and in a report: opens with the address,
// closes with Escape, its button or the Back key, and gives the focus back to where it was. Knows not what is in it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface ExchangeDialogProps {
  /** Absent while none is open. */
  readonly id: string | undefined;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function ExchangeDialog({ id, onClose, children }: ExchangeDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (id !== undefined && !element.open) element.showModal();
    if (id === undefined && element.open) element.close();
  }, [id]);
  return (
    <dialog
      ref={dialog}
      class="exchange-dialog"
      aria-labelledby="exchange-title"
      onClose={onClose}
      onClick={(event) => {
        // A click on the backdrop is one on the dialog itself and on nothing in it.
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      {id !== undefined && (
        <>
          <div class="dialog-head">
            <h2 id="exchange-title">
              Exchange <code>{id}</code>
            </h2>
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          <div class="dialog-body">{children}</div>
        </>
      )}
    </dialog>
  );
}
