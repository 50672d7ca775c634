import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useWording } from '../app/i18n.js';

export type DrawerName = 'filters' | 'ranking';

const TITLES = { filters: 'filter.title', ranking: 'tuning.title' } as const;

/** A panel beside a list; on a narrow screen, a drawer that opens while its page has the class `drawer-NAME`. */
export function Drawer({
  which,
  isOpen,
  onClose,
  children,
}: {
  which: DrawerName;
  isOpen: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { t } = useWording();
  const closer = useRef<HTMLButtonElement>(null);
  const opener = useRef<Element | null>(null);
  const close = (): void => {
    onClose();
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  // Before the next key, however fast it comes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves only when it is opened
  useLayoutEffect(() => {
    if (!isOpen) return;
    opener.current = document.activeElement;
    closer.current?.focus();
    // Unlike `useKeys`, also from a field or a slider in it.
    const listen = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.isComposing && document.querySelector('dialog[open]') === null) close();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, [isOpen]);
  return (
    <aside aria-label={t(TITLES[which])} class={`panel panel-${which}`}>
      <button ref={closer} type="button" class="quiet panel-close" aria-label={t('action.close')} onClick={close}>
        ×
      </button>
      {children}
    </aside>
  );
}
