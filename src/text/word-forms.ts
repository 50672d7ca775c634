/** By the plural, the singular of school words whose plural is more than an -s. */
export const IRREGULAR_PLURALS = pairsIn(`
lenses lens  axes axis  vertices vertex  matrices matrix  indices index  radii radius  foci focus  loci locus
formulae formula  nuclei nucleus  stimuli stimulus  fungi fungus  algae alga  larvae larva  bacteria bacterium
mitochondria mitochondrion  phenomena phenomenon  criteria criterion  spectra spectrum  maxima maximum  minima minimum
extrema extremum  hypotheses hypothesis  analyses analysis  syntheses synthesis  parentheses parenthesis
children child  women woman  men man  feet foot  teeth tooth  mice mouse  geese goose  halves half`);

/**
 * Other forms of school words that Porter2 gives another stem: nouns of operations, British spellings, past forms. Only
 * those that have no second meaning (`solution` is none of `solve`, nor `converse` one of `convert`).
 */
export const WORD_FORMS = pairsIn(`
division divide  divisions divide  multiplication multiply  multiplications multiply  simplification simplify
simplifications simplify  conversion convert  conversions convert  expansion expand  expansions expand
reduction reduce  reductions reduce  geometric geometry  geometrical geometry  symmetric symmetry  symmetrical symmetry
triangular triangle  percentage percent  percentages percent
factorise factor  factorised factor  factorising factor  factorisation factor  analyse analyze  analysed analyze
analysing analyze  oxidise oxidize  oxidised oxidize  oxidising oxidize  oxidisation oxidize
centre center  centres center  metre meter  metres meter  centimetre centimeter  centimetres centimeter
kilometre kilometer  kilometres kilometer  millimetre millimeter  millimetres millimeter  litre liter  litres liter
colour color  colours color
forgot forget  forgotten forget  wrote write  written write  chose choose  chosen choose`);

function pairsIn(text: string): ReadonlyMap<string, string> {
  const pairs = text.trim().split(/\s{2,}|\n/);
  return new Map(pairs.map((pair) => pair.split(' ') as [string, string]));
}
