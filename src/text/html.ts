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

/** The text with powers, indices and character references of HTML as it shows them. Linear time for any text. */
export function htmlAsLatex(text: string): string {
  const marked = text.replace(RAISED, (_, tag: string, inner: string) => `${/sup/i.test(tag) ? '^' : '_'}{${inner}}`);
  return marked.includes('&') ? decoded(marked) : marked;
}
