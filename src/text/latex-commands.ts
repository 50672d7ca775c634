/**
 * What LaTeX commands stand for. Each command is in at most one of the tables; one that is in none of them keeps its
 * name and becomes a token of its own (`\binom`, `\overline`).
 */

/** Commands that have a character of their own, by that character; a space where they only look like something. */
const BY_SYMBOL: Readonly<Record<string, string>> = {
  '×': 'times cdot centerdot ast bullet',
  '÷': 'div',
  '±': 'pm',
  '∓': 'mp',
  '≤': 'le leq leqslant leqq',
  '≥': 'ge geq geqslant geqq',
  '≠': 'ne neq',
  '≈': 'approx',
  '≡': 'equiv',
  '≌': 'cong',
  '∽': 'sim backsim',
  '<': 'lt textless',
  '>': 'gt textgreater',
  '|': 'mid vert lvert rvert textbar',
  '∥': 'parallel',
  '⊥': 'perp bot',
  '∠': 'angle',
  '°': 'circ degree',
  '△': 'triangle vartriangle bigtriangleup',
  '▲': 'blacktriangle',
  '□': 'square Box',
  '■': 'blacksquare',
  '○': 'bigcirc',
  '⊙': 'odot',
  '⊕': 'oplus',
  '⊗': 'otimes',
  '☆': 'star',
  '★': 'bigstar',
  '∞': 'infty',
  '∈': 'in',
  '∉': 'notin',
  '∩': 'cap bigcap',
  '∪': 'cup bigcup',
  '⊂': 'subset subsetneqq',
  '⊆': 'subseteq',
  '∅': 'emptyset varnothing',
  '∴': 'therefore',
  '∵': 'because',
  '→': 'to rightarrow longrightarrow xrightarrow',
  '⇒': 'Rightarrow Longrightarrow implies',
  '⇔': 'Leftrightarrow Longleftrightarrow iff',
  '⇌': 'rightleftharpoons leftrightharpoons',
  '↑': 'uparrow',
  '↓': 'downarrow',
  '∑': 'sum',
  '∏': 'prod',
  '∫': 'int',
  '∂': 'partial',
  '∇': 'nabla',
  '∀': 'forall',
  '∃': 'exists',
  '¬': 'neg lnot',
  '∧': 'wedge land',
  '∨': 'vee lor',
  ℓ: 'ell',
  "'": 'prime textquotesingle',
  '…': 'ldots cdots dots vdots ddots',
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon varepsilon',
  ζ: 'zeta',
  η: 'eta',
  θ: 'theta vartheta',
  ι: 'iota',
  κ: 'kappa',
  λ: 'lambda',
  μ: 'mu',
  ν: 'nu',
  ξ: 'xi',
  π: 'pi',
  ρ: 'rho varrho',
  σ: 'sigma',
  τ: 'tau',
  υ: 'upsilon',
  φ: 'phi varphi',
  χ: 'chi',
  ψ: 'psi',
  ω: 'omega',
  Γ: 'Gamma',
  Δ: 'Delta',
  Θ: 'Theta',
  Λ: 'Lambda',
  Ξ: 'Xi',
  Π: 'Pi',
  Σ: 'Sigma',
  Φ: 'Phi',
  Ψ: 'Psi',
  Ω: 'Omega',
  ' ': 'quad qquad enspace space textasciitilde hfill break newline par textbackslash backslash hline And nbsp',
};

/** command -> its character. */
export const SYMBOLS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_SYMBOL).flatMap(([symbol, names]) => names.split(' ').map((name) => [name, symbol] as const)),
);

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** Functions, whose names are words in plain text too: `\sin x` and `sin x` are the same. */
export const FUNCTIONS = names(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min gcd lcm mod bmod pmod det',
);

/** Text within a formula: its content stands apart from its neighbours. */
export const TEXT_WRAPPERS = names(
  'text textbf textit textrm textsf texttt mbox hbox emph uline underline operatorname',
);

/** Commands that change only how something looks: they go, and what they enclose stays where it is. */
export const LAYOUT = names(
  `left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr middle displaystyle textstyle scriptstyle limits nolimits
  rm bf it cal mathrm mathbf mathit mathsf mathtt mathcal mathbb mathscr boldsymbol bm boxed ce pu dot ddot overbrace underbrace
  overset underset stackrel substack mathop mathrel strut centering small large normalsize`,
);

/** Commands whose first argument is no content. */
export const DROPPED_WITH_ARGUMENT = names(
  'begin end hspace vspace color textcolor label tag phantom hphantom includegraphics rule fontsize kern',
);

/** All ways to set a numerator over a denominator. */
export const FRACTIONS = names('frac dfrac tfrac cfrac');

/** Arrows and bars over letters that make a vector of them. */
export const VECTORS = names('vec overrightarrow');

/** Characters that mean what another one means; a superscript or subscript is below. */
export const SAME_CHARACTER: ReadonlyMap<string, string> = new Map([
  ['−', '-'],
  ['–', '-'],
  ['⋅', '×'],
  ['∙', '×'],
  ['∗', '×'],
  ['✕', '×'],
  ['✖', '×'],
  ['∕', '/'],
  ['⁄', '/'],
  ['∶', ':'],
  ['≦', '≤'],
  ['⩽', '≤'],
  ['≧', '≥'],
  ['⩾', '≥'],
  ['≅', '≌'],
  ['∼', '∽'],
  ['∆', 'Δ'],
  ['º', '°'],
  ['˚', '°'],
  ['℃', '°C'],
  ['℉', '°F'],
  ['µ', 'μ'],
  ['ϕ', 'φ'],
  ['ϵ', 'ε'],
  ['′', "'"],
  ['’', "'"],
  ['‘', "'"],
  ['∛', '√ 3 '],
]);

/** Raised characters; what each means stands at the same place in {@link SUPERSCRIPT_MEANINGS}. */
export const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ';
/** The ordinary characters of {@link SUPERSCRIPTS}. */
export const SUPERSCRIPT_MEANINGS = '0123456789+-=()ni';

/** Lowered characters; what each means stands at the same place in {@link SUBSCRIPT_MEANINGS}. */
export const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ';
/** The ordinary characters of {@link SUBSCRIPTS}. */
export const SUBSCRIPT_MEANINGS = '0123456789+-=()nx';
