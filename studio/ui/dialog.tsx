import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { mayLeave } from '../app/router.js';

/** The browser's own modal dialog: it keeps the focus, returns it at its end, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  wide = false,
  children,
}: {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const { t } = useWording();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // The browser returns the focus if the dialog is closed, not if it is removed. Until then the opener is inert.
      queueMicrotask(() => opener instanceof HTMLElement && opener.focus());
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={heading}
      onClose={() => {
        // Not on `cancel`: for a second Escape in a row, browsers send none.
        if (mayLeave()) onClose();
        else dialog.current?.showModal();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label={t('action.close')} onClick={() => dialog.current?.close()}>
          ×
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
