import { useLayoutEffect } from 'preact/hooks';

/**
 * Keys of the whole page, in lower case, `ctrl+z` with Ctrl: not those that are typed into a field or an input method,
 * meant for an open dialog, or pressed with Alt or Meta. Only `repeated` keys act again while they are held: what the
 * others would act on has not been seen.
 */
export function useKeys(press: (key: string, event: KeyboardEvent) => void, repeated: readonly string[] = []): void {
  // Before the next key, however fast it comes.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.isComposing || event.altKey || event.metaKey) return;
      if ((event.target as HTMLElement).matches('textarea, select, input:not([type="checkbox"])')) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const key = `${event.ctrlKey ? 'ctrl+' : ''}${event.key.toLowerCase()}`;
      if (!event.repeat || repeated.includes(key)) press(key, event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  });
}
