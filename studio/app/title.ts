import { useEffect } from 'preact/hooks';
import { useWording } from './i18n.js';

/** Names the page as a tab, the history and a bookmark show it; null: as the menu calls it. */
export function useTitle(title: string | null): void {
  const { t } = useWording();
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another language the shell has named the page anew
  useEffect(() => {
    if (title !== null) document.title = title;
  }, [title, t]);
}
