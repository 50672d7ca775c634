/** The entities of questions: names and characters in turn. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  (
    'lt < gt > amp & quot " apos \' le ≤ ge ≥ ne ≠ minus - times × divide ÷ plusmn ± middot · sdot ⋅ radic √ deg ° ' +
    "prime ' sup1 ¹ sup2 ² sup3 ³ frac12 ½ frac14 ¼ frac34 ¾ infin ∞ ang ∠ perp ⊥ cap ∩ cup ∪ isin ∈ sub ⊂ sube ⊆ " +
    'there4 ∴ rarr → larr ← hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” sum ∑ int ∫ asymp ≈ equiv ≡ ' +
    'alpha α beta β gamma γ delta δ epsilon ε theta θ lambda λ mu μ micro μ pi π rho ρ sigma σ phi φ omega ω'
  )
    .split(' ')
    .flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] as string] as const] : [])),
);

const BLANKS = /^(?:nbsp|ensp|emsp|thinsp)$/;

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{1,20}\d{0,2}));/gi;

/** Replaces character references; unknown names by `unknown`, or not at all. */
export function decoded(text: string, unknown: string | null = null): string {
  return text.replace(REFERENCE, (whole, hex, decimal, name) => {
    if (name !== undefined) {
      const key = String(name).toLowerCase();
      return BLANKS.test(key) ? ' ' : (ENTITIES.get(key) ?? unknown ?? whole);
    }
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** `x<sup>2</sup>`, and the same for indices. */
const RAISED = /<(su[pb])>([^<>]{0,40})<\/\1>/gi;

/**
 * Tags of rich text: lines and cells (`$1`), which divide words, and those within a line. With `b` CogTutorBugs, whose
 * hints about signs are in bold, has an MRR of .729 instead of .733 (by hand).
 */
const TAG =
  /<\/?(?:(p|div|br|hr|t[dhr]|table|tbody|thead|[uo]l|li|h[1-6]|center|blockquote|pre)|span|font|strong|em|[iusa])(?:(?:\s+[a-z][\w:-]*\s?=\s?(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))+\s*\/?|\s?\/)?>/gi;
const START = /<\/?[a-z]+/;
const NAME = /[a-z]+/;

/**
 * The text with powers, indices and character references of HTML as it shows them, without tags of rich text. A tag of
 * one letter that `whole`, of which the text is a part, does not open and close is none: `a<s>c`. Linear time for any
 * text.
 */
export function htmlAsLatex(text: string, whole = text): string {
  const marked = text.replace(RAISED, (_, tag: string, inner: string) => `${/sup/i.test(tag) ? '^' : '_'}{${inner}}`);
  const shown = marked.includes('<') ? withoutTags(marked, whole) : marked;
  return shown.includes('&') ? decoded(shown) : shown;
}

function withoutTags(text: string, whole: string): string {
  const tags = new Set(Array.from(whole.matchAll(TAG), ([tag]) => START.exec(tag.toLowerCase())?.[0]));
  return text.replace(TAG, (tag: string, line?: string) => {
    const [name = ''] = NAME.exec(tag.toLowerCase()) ?? [];
    if (name.length === 1 && !(tags.has(`<${name}`) && tags.has(`</${name}`))) return tag;
    return line === undefined ? '' : ' ';
  });
}

/** An image of Markdown or HTML, and an address in a text. */
const REFERENCE_TO_FILE =
  /!\[([^[\]]*)\]\([^()]*\)|<img(?=[^<>]*\s(?:src|alt)\s?=)\s([^<>]*)>|https?:\/\/[^\s<>"'()[\]{}$\\，。；、）】\p{Script=Han}]+/giu;
const ALTERNATIVE = /(?<![\w-])alt\s?=\s?(?:"([^"]*)"|'([^']*)')/i;

/** The addresses of a text and its images, as they are written. */
export function filesIn(text: string): readonly string[] {
  return text.match(REFERENCE_TO_FILE) ?? [];
}

/** The text with the alternative texts of its images instead of them, and without addresses. */
export function withoutFiles(text: string): string {
  return text.replace(REFERENCE_TO_FILE, (_, alternative?: string, attributes = '') => {
    const [, quoted, single] = ALTERNATIVE.exec(attributes) ?? [];
    return ` ${alternative ?? quoted ?? single ?? ''} `;
  });
}
