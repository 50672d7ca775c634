const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML and SVG; characters that change the writing direction are removed. */
export function escaped(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}
