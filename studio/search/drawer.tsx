import type { ComponentChildren } from 'preact';
import { useWording } from '../app/i18n.js';

export type DrawerName = 'filters' | 'ranking';

/** A panel beside a list; on a narrow screen, a drawer that opens while its page has the class `drawer-NAME`. */
export function Drawer({
  name,
  onClose,
  children,
}: {
  name: DrawerName;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { t } = useWording();
  return (
    <aside class={`panel panel-${name}`}>
      <button type="button" class="quiet panel-close" aria-label={t('action.close')} onClick={onClose}>
        ×
      </button>
      {children}
    </aside>
  );
}
