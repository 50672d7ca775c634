import { decoded, htmlAsLatex } from './html.js';

const START = /<(?:[A-Za-z]{1,10}:)?math\b/i;

/**
 * A tag, a piece of text between tags, or a `<` that opens no tag. Each part begins where the last one ends: linear
 * time.
 */
const PART = /<(\/?)(?:[A-Za-z]{1,10}:)?([A-Za-z]{1,20})\b[^<>]*>|[^<]+|</gy;

/** No formula is nested as deeply. Deeper tags are ignored, so that a text of 100,000 tags takes linear time. */
const MAX_DEPTH = 40;

/** Elements with an alternative form of the same formula. */
const ANNOTATIONS = new Set(['annotation', 'annotationxml']);

interface Element {
  readonly name: string;
  /** LaTeX, one for each child. */
  readonly children: string[];
}

/** LaTeX of an element, by its name; elements without an entry are joined. */
const COMBINE: ReadonlyMap<string, (children: readonly string[]) => string> = new Map([
  ['sup', (children) => `^{${joined(children)}}`],
  ['sub', (children) => `_{${joined(children)}}`],
  ['mfrac', ([above = '', below = '']) => `\\frac{${above}}{${below}}`],
  ['msup', ([base = '', raised = '']) => `${base}^{${raised}}`],
  ['msub', ([base = '', lowered = '']) => `${base}_{${lowered}}`],
  ['msubsup', ([base = '', lowered = '', raised = '']) => `${base}_{${lowered}}^{${raised}}`],
  ['msqrt', (children) => `\\sqrt{${children.join('')}}`],
  ['mroot', ([radicand = '', degree = '']) => `\\sqrt[${degree}]{${radicand}}`],
  ['mfenced', (children) => `(${children.join(',')})`],
  ['mtd', (children) => ` ${children.join('')} `],
  ['mtext', (children) => ` ${children.join('')} `],
  // A name of several letters is a function, a single one a variable.
  ['mi', (children) => (children.join('').length > 1 ? ` ${children.join('')} ` : children.join(''))],
]);

/**
 * Replaces MathML elements by LaTeX, from the first `<math>` on; other tags after it are dropped. Before it, see {@link
 * htmlAsLatex}. An unclosed element
 * ends with the text. Linear time for any text.
 */
export function markupAsLatex(text: string): string {
  const start = text.search(START);
  if (start < 0) return htmlAsLatex(text);
  const root: Element = { name: '', children: [] };
  const open: Element[] = [root];
  let deeper = 0;
  const close = (): void => {
    const { name, children } = open.pop() as Element;
    (open.at(-1) as Element).children.push(ANNOTATIONS.has(name) ? '' : (COMBINE.get(name) ?? joined)(children));
  };
  for (const [part, end, tag] of text.slice(start).matchAll(PART)) {
    if (tag === undefined) {
      // Blanks between elements are layout.
      if (part.trim() !== '' || open.length === 1) (open.at(-1) as Element).children.push(decoded(part, ' '));
    } else if (end === '' && !part.endsWith('/>')) {
      if (open.length > MAX_DEPTH) deeper += 1;
      else open.push({ name: tag.toLowerCase(), children: [] });
    } else if (end === '/') {
      if (deeper > 0) deeper -= 1;
      else if (open.length > 1) close();
    }
  }
  while (open.length > 1) close();
  return htmlAsLatex(text.slice(0, start), text) + joined(root.children);
}

function joined(children: readonly string[]): string {
  return children.join('');
}
