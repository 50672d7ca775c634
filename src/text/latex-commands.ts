/**
 * The translated LaTeX commands, each in at most one table. Other commands keep their name and become tokens (`\binom`,
 * `\overline`).
 */

/** Commands by the character that replaces them; a space for those without content. */
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
  '√': 'surd',
  '∁': 'complement',
  '←': 'leftarrow',
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

/** command -> character */
export const SYMBOLS = meanings(BY_SYMBOL);

function meanings(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([meaning, names]) => names.split(' ').map((name) => [name, meaning])));
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** Functions: `\sin x` and `sin x` are the same. */
export const FUNCTIONS = names(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp lim max min gcd lcm mod bmod pmod det',
);

/** Text within a formula: its content is separated from the rest by spaces. */
export const TEXT_WRAPPERS = names(
  'text textbf textit textrm textsf texttt mbox hbox emph uline underline operatorname',
);

/** Layout: the command is dropped, its content is kept. */
export const LAYOUT = names(
  `left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr middle displaystyle textstyle scriptstyle limits nolimits
  rm bf it cal mathrm mathbf mathit mathsf mathtt mathcal mathbb mathscr boldsymbol bm boxed ce pu dot ddot overbrace underbrace
  overset underset stackrel substack mathop mathrel strut centering small large normalsize`,
);

/** Commands whose first argument is dropped. */
export const DROPPED_WITH_ARGUMENT = names(
  'begin end hspace vspace color textcolor label tag phantom hphantom includegraphics rule fontsize kern',
);

export const FRACTIONS = names('frac dfrac tfrac cfrac nicefrac sfrac');

export const VECTORS = names('vec overrightarrow');

/** Characters by the equivalent one that replaces them. */
const BY_EQUIVALENT: Readonly<Record<string, string>> = {
  '-': '− –',
  '×': '⋅ ∙ ∗ ✕ ✖',
  '/': '∕ ⁄',
  ':': '∶',
  '≤': '≦ ⩽',
  '≥': '≧ ⩾',
  '≌': '≅',
  '∽': '∼',
  Δ: '∆',
  '°': 'º ˚ ∘',
  '°C': '℃',
  '°F': '℉',
  μ: 'µ',
  φ: 'ϕ',
  ε: 'ϵ',
  '|': '∣',
  '△': '⊿',
  '∩': '⋂',
  '∪': '⋃',
  '⊂': '⊊ ⫋',
  '→': '⟶',
  '⇒': '⟹',
  "'": '′ ’ ‘',
  '√ 3 ': '∛',
};

export const SAME_CHARACTER = meanings(BY_EQUIVALENT);

/** Superscript and subscript characters; the ordinary characters are at the same indexes. */
export const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣᵐᵏ';
export const SUPERSCRIPT_MEANINGS = '0123456789+-=()nixmk';
export const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₓ';
export const SUBSCRIPT_MEANINGS = '0123456789+-=()nx';
