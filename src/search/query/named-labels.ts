import type { LabelPerspective } from '../../domain/search.js';
import { type LikelyLabel, PROFILE_DEPTH } from '../../lexical/label-posterior.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { contentTerms } from '../../lexical/terms.js';
import { TELLING_NAME } from '../../text/synonyms.js';

/**
 * The labels of a query: those of the card that is searched from, of which no other card has the `unshared` ones; or
 * the likely ones by the label profiles. Then `mentioned` is whether the query contains another name of a label, from
 * its synonym group or a narrower one, or is a name that a topic contains (动量守恒: momentum and impulse), and `named`
 * are the labels that the text is the name of as a whole.
 */
export type QueryLabels =
  | { readonly kind: 'known'; readonly labels: readonly string[]; readonly unshared: readonly string[] }
  | {
      readonly kind: 'inferred';
      readonly labels: readonly LikelyLabel[];
      readonly mentioned: boolean;
      readonly named?: readonly string[];
    };

export interface SynonymSource {
  /** The synonyms of the words of a text, in order, each once, none that is in the text already. */
  of(text: string): readonly string[];
}

export interface QuerySynonyms extends SynonymSource {
  /** The names in the text that {@link SynonymSource.of} finds others of. */
  said(text: string): readonly string[];
}

type Index = Pick<LexicalIndex, 'termsOf' | 'profiles'>;

/**
 * Words that say what kind of statement or task a name is of, and not what it is about: the quadratic formula has
 * nothing to do with chemical formulas, nor 动量守恒 with 质量守恒定律. Names of errors are about such words: `wrong formula`.
 */
const GENERAL = {
  chinese: '守恒定律|守恒|公式|性质|运算|方法|问题',
  english: 'conservation|formula[se]?|propert(?:y|ies)|operations?|methods?|problems?',
};

/** The same, of what is often called after one word of what it says: chain rule, addition principle, law of value. */
const LAWS = { chinese: '定律|定理|法则|原理', english: 'laws?|theorems?|rules?|principles?' };

function anyOf(...lists: readonly (typeof GENERAL)[]): RegExp {
  const english = lists.map((list) => list.english).join('|');
  return new RegExp([...lists.map(({ chinese }) => chinese), `\\b(?:${english})\\b`].join('|'), 'gi');
}

const IN_GENERAL = anyOf(GENERAL);
const IN_GENERAL_OR_LAWS = anyOf(GENERAL, LAWS);

const NONE: ReadonlySet<string> = new Set();

/** A name of a synonym group, or a text with some. */
interface Name {
  readonly terms: readonly string[];
  /** Those of its terms that are {@link GENERAL}, or of {@link LAWS}. */
  readonly general: ReadonlySet<string>;
  /** Those that are not {@link GENERAL}. */
  readonly telling: readonly string[];
}

/** The names of the synonym groups that a text names. */
export interface Names {
  readonly text: Omit<Name, 'telling'> & { readonly written: string };
  /** Whether the text is one of them as a whole. */
  readonly isName: boolean;
  /** Of names in the text. */
  readonly said: readonly Name[];
  readonly added: readonly Name[];
}

/** Of the names that are said in a text, and of their synonyms. */
export function namesOf(
  index: Index,
  text: Omit<Names['text'], 'general'>,
  said: readonly string[],
  added: readonly string[],
): Names {
  const nameOf = (name: string): Name => {
    const terms = contentTerms(index.termsOf([name]));
    const termsIn = (words: RegExp): ReadonlySet<string> => new Set(index.termsOf(name.match(words) ?? []));
    const general = termsIn(IN_GENERAL);
    return { terms, general: termsIn(IN_GENERAL_OR_LAWS), telling: terms.filter((term) => !general.has(term)) };
  };
  const names = said.map(nameOf);
  const general = new Set(names.flatMap((name) => [...name.general]));
  const isName = names.some(({ terms }) => contentTerms(text.terms).every((term) => terms.includes(term)));
  return { text: { ...text, general }, isName, said: names, added: added.map(nameOf) };
}

/**
 * A synonym is worth less than the name in the text, and both the less the longer the text is: six words may be a name,
 * of sixty one name is a small part. Of the 30 questions in the other language (`npm run bench -- own-words`) six more
 * find their card.
 */
const NAMED = { said: 0.8, synonym: 0.65, terms: 6 } as const;

/** Above this share of its terms, a label's name is there as a whole: shares are rounded. */
export const WHOLE = 0.999;

/**
 * The labels inferred from the text, and those that one of its names, a synonym of it, or a label's name in it names
 * alone; without the topics that have only {@link GENERAL} words of these names.
 */
export function withNamed(
  inferred: QueryLabels,
  { text, isName, said, added }: Names,
  perspective: LabelPerspective,
  { index, leaveOut }: { readonly index: Index; readonly leaveOut: string | undefined },
): QueryLabels {
  if (inferred.kind === 'known') return inferred;
  // Its terms may be others there: jieba may join its characters to the neighbours.
  const isWithin = ({ label, named }: LikelyLabel): boolean =>
    named <= WHOLE && TELLING_NAME.test(label) && text.written.includes(label);
  const within = inferred.labels
    .filter(isWithin)
    .map(({ label }) => ({ terms: index.termsOf([label]), general: NONE, telling: [] }));
  if (added.length === 0 && within.length === 0) return inferred;
  const termsOf = (label: string): ReadonlySet<string> => new Set(contentTerms(index.termsOf([label])));
  const isAbout = ({ label, named }: LikelyLabel, { terms, general }: Omit<Name, 'telling'>): boolean => {
    if (perspective === 'error' || general.size === 0 || named === 0) return true;
    const own = termsOf(label);
    return terms.some((term) => own.has(term) && !general.has(term));
  };
  const isIn = ({ label }: LikelyLabel, { telling }: Name): boolean => {
    if (perspective === 'error' || !isName || telling.length === 0) return false;
    const own = termsOf(label);
    return telling.every((term) => own.has(term));
  };
  const share = Math.min(1, NAMED.terms / Math.max(1, new Set(text.terms).size));
  const own = inferred.labels.filter((likely) => isAbout(likely, text));
  const best = new Map(own.map((likely) => [likely.label, likely]));
  let mentioned = false;
  const add = (name: Name, factor: number): void => {
    for (const likely of index.profiles[perspective].rank(name.terms, PROFILE_DEPTH, leaveOut)) {
      if (!isAbout(likely, name)) continue;
      mentioned ||= likely.named > WHOLE || isIn(likely, name);
      const known = best.get(likely.label);
      const score = Math.max(known?.score ?? 0, factor * likely.score);
      best.set(likely.label, { ...likely, score, named: Math.max(known?.named ?? 0, factor * likely.named) });
    }
  };
  for (const name of [...said, ...within]) add(name, NAMED.said * share);
  for (const name of added) add(name, NAMED.synonym * share);
  const labels = [...best.values()].sort((a, b) => b.score - a.score || (a.label < b.label ? -1 : 1));
  return { ...inferred, mentioned, labels: labels.slice(0, PROFILE_DEPTH) };
}
