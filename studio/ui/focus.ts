import { useEffect } from 'preact/hooks';

/** Parts of the page that a reader can go on from. */
const PARTS = 'section, article, aside, form, fieldset, dialog, main';

/**
 * Keeps the focus from being lost, which would send screen readers to the top of the page: if the control that has it
 * is removed, the closest part of the page that is still there gets it; if it is disabled, it gets it back when it is
 * enabled.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The control that had the focus last, and what it was in; empty if somebody took the focus off it. */
    let path: readonly HTMLElement[] = [];
    let wasDisabled = false;
    const remember = ({ target }: FocusEvent): void => {
      path = ancestorsOf(target as HTMLElement);
      wasDisabled = false;
    };
    // Chrome tells of it before a control is removed: whether it was is known later.
    const forget = ({ target }: FocusEvent): void => {
      const left = target as HTMLElement;
      setTimeout(() => {
        if (path[0] === left && document.activeElement !== left && !left.matches(':disabled')) path = [];
      });
    };
    const watcher = new MutationObserver(() => {
      const [control] = path;
      if (control?.matches(':disabled')) wasDisabled = true;
      if (control === undefined || document.activeElement !== document.body) return;
      // The focus is on its way from a control that is still there to another one, unless it was disabled.
      if (control.isConnected && (!wasDisabled || control.matches(':disabled'))) return;
      const part = path.find((one) => one.isConnected && one.matches(PARTS));
      // A dialog that covers the page is beside what it covers.
      const place = control.isConnected ? control : (part ?? document.getElementById('main'));
      // As an attribute: without it, a part cannot have the focus.
      if (place?.tabIndex === -1) place.tabIndex = -1;
      place?.focus({ preventScroll: true });
    });
    addEventListener('focusin', remember);
    addEventListener('focusout', forget);
    watcher.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      removeEventListener('focusin', remember);
      removeEventListener('focusout', forget);
      watcher.disconnect();
    };
  }, []);
}

function ancestorsOf(element: HTMLElement): readonly HTMLElement[] {
  const above: HTMLElement[] = [];
  for (let one: HTMLElement | null = element; one !== null; one = one.parentElement) above.push(one);
  return above;
}

/** Gives an element the focus if no control has it, as after the button that had it was removed. */
export function focusWhenLost(element: HTMLElement | null): void {
  if ((document.activeElement as HTMLElement).tabIndex < 0) element?.focus();
}
