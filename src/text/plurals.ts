/** By the plural, the singular of school words whose plural is more than an -s. */
const IRREGULAR = `
lenses lens  axes axis  vertices vertex  matrices matrix  indices index  radii radius  foci focus  loci locus
formulae formula  nuclei nucleus  stimuli stimulus  fungi fungus  algae alga  larvae larva  bacteria bacterium
mitochondria mitochondrion  phenomena phenomenon  criteria criterion  spectra spectrum  maxima maximum  minima minimum
extrema extremum  hypotheses hypothesis  analyses analysis  syntheses synthesis  parentheses parenthesis
children child  women woman  men man  feet foot  teeth tooth  mice mouse  geese goose  halves half`;

export const IRREGULAR_PLURALS: ReadonlyMap<string, string> = new Map(
  IRREGULAR.trim()
    .split(/\s{2,}|\n/)
    .map((pair): [string, string] => {
      const [plural = '', singular = ''] = pair.split(' ');
      return [plural, singular];
    }),
);
