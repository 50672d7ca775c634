const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML and SVG show it, whatever a question says; signs that turn the direction of writing are taken out. */
export function escaped(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}
