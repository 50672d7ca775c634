/** Gives an element the focus if no control has it, as after the button that had it was removed. */
export function focusWhenLost(element: HTMLElement | null): void {
  const { activeElement } = document;
  if (activeElement === document.body || activeElement?.id === 'main') element?.focus();
}
