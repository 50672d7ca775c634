/** What the prompt's rules ask for if the sources do not suffice, in any brackets. */
const MARKER = /[[【［〔]REFUSE[\]】］〕]/i;

/** What models write around it: Markdown and quotation marks. */
const AROUND = '[\\s*_`>"\'“”‘’「」]*';
const MARKER_FIRST = new RegExp(`^${AROUND}(?:${MARKER.source}|REFUSE[:：])${AROUND}`, 'i');
const OPENED = new RegExp(`^${AROUND}[[【［〔]?`);

/** Whether the text begins as a refusal. */
export function isRefusal(text: string): boolean {
  return MARKER_FIRST.test(text);
}

/** Whether the text may become a refusal by what follows. */
export function mayBeRefusal(text: string): boolean {
  return 'REFUSE'.startsWith(text.replace(OPENED, '').toUpperCase());
}

/** Whether a complete text is a refusal: then the marker may stand anywhere. */
export function hasRefusal(text: string): boolean {
  return isRefusal(text) || MARKER.test(text);
}

/** Length of the marker at the beginning; null if there is none, undefined if the text is too short to tell. */
export function markerLength(text: string): number | null | undefined {
  const beginning = text.slice(0, '[REFUSE]'.length);
  const found = MARKER.exec(beginning);
  if (found !== null) return found[0].length;
  return mayBeRefusal(beginning) ? undefined : null;
}

/** The words behind a marker that stands first. */
export function withoutMarker(text: string): string {
  return text.replace(MARKER_FIRST, '');
}
