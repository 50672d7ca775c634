import { useLayoutEffect } from 'preact/hooks';

/** Containers that get the focus when the focused control in them is removed. */
const PARTS = 'section, article, aside, form, fieldset, dialog, main';

/** The last focused control and its ancestors; empty after the focus was moved away on purpose. */
let path: readonly HTMLElement[] = [];

/**
 * Keeps the focus from being lost, which would send screen readers to the top of the page: if the control that has it
 * is removed, the closest part of the page that is still there gets it; if it is disabled, it gets it back when it is
 * enabled.
 */
export function useKeptFocus(): void {
  // Before the first control can have the focus.
  useLayoutEffect(() => {
    let wasDisabled = false;
    const remember = ({ target }: FocusEvent): void => {
      path = ancestorsOf(target as HTMLElement);
      wasDisabled = false;
    };
    // Chrome fires focusout before it removes the control: check afterwards whether it is still in the document.
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
      // A control that is still in the document only passes the focus on, unless it was disabled.
      if (control.isConnected && (!wasDisabled || control.matches(':disabled'))) return;
      const part = path.find((one) => one.isConnected && one.matches(PARTS));
      // A dialog that covers the page is a sibling of what it covers: a dialog below it has the focus then, or `main`.
      const below = document.querySelector<HTMLElement>('dialog[open]') ?? document.getElementById('main');
      const place = control.isConnected ? control : (part ?? below);
      // The property is -1 by default; an element gets the focus only with the attribute.
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

/**
 * Gives an element the focus if no control has it, as after the button that had it was removed. A control that is only
 * disabled for now, as while a form is saved, keeps its claim.
 */
export function focusWhenLost(element: HTMLElement | null): void {
  const isDisabled = path[0]?.isConnected === true && path[0].matches(':disabled');
  if (!isDisabled && (document.activeElement as HTMLElement).tabIndex < 0) element?.focus();
}
