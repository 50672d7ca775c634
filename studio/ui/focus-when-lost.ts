/** Gives an element the focus if no control has it, as after the button that had it was removed. */
export function focusWhenLost(element: HTMLElement | null): void {
  if ((document.activeElement as HTMLElement).tabIndex < 0) element?.focus();
}
