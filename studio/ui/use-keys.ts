import { useLayoutEffect } from 'preact/hooks';

/**
 * Keys of the whole page, in lower case, `ctrl+z` with Ctrl: not those that are typed into a field or an input method,
 * meant for an open dialog, or pressed with Alt or Meta.
 */
export function useKeys(press: (key: string, event: KeyboardEvent) => void): void {
  // Before the next key, however fast it comes.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.isComposing || event.altKey || event.metaKey) return;
      if ((event.target as HTMLElement).matches('textarea, select, input:not([type="checkbox"])')) return;
      if (document.querySelector('dialog[open]') !== null) return;
      press(`${event.ctrlKey ? 'ctrl+' : ''}${event.key.toLowerCase()}`, event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}
