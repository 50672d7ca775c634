/** What a search must answer, by looking at every card: plain arithmetic over vectors, BM25 and labelPosteriors. */
import { type Card, perspectiveTexts } from '../../src/domain/card.js';
import { passagesOf } from '../../src/domain/passages.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import { LANES, type SearchRequest } from '../../src/domain/search.js';
import { split } from '../../src/domain/split.js';
import { labelPosteriors } from '../../src/lexical/label-posterior.js';
import { LexicalIndex } from '../../src/lexical/lexical-index.js';
import { contentTerms, formulaOf } from '../../src/lexical/terms.js';
import { phraseOf } from '../../src/text/phrases.js';
import { matchesFilter } from './engine-world.js';
import { literalEmbedder, literalWords, vectorOf } from './memory-ports.js';
import { naiveScore } from './naive-fusion.js';

/**
 * The weight of every lane: the perspectives' shares, .5 of the whole for what is inferred, and less than 0 for what is
 * avoided.
 */
function weightsFor({ weights, avoid, lexicalShare, expand }: SearchRequest): Float64Array {
  const total = PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
  const inferred = lexicalShare === 0 || !expand ? 0 : 0.55;
  return Float64Array.from(LANES, ({ kind, perspective }) => {
    if (kind === 'INFERRED') {
      return inferred * (perspective === 'error' ? weights.error / total : 1 - weights.error / total);
    }
    const share = (kind === 'LEXICAL' ? lexicalShare : 1 - lexicalShare) / total;
    return (1 - inferred) * share * weights[perspective] - share * avoid[perspective];
  });
}

/**
 * With default weights, of which errors have none: a text that is the name of errors and of no topics is searched by
 * them, and a fifth of the weight stays where it was.
 */
function weighingNamedErrors(all: readonly Card[], request: SearchRequest): SearchRequest {
  const { operation, defaultWeights, weights, avoid, subject } = request;
  const isNamed = (labels: readonly string[]): boolean => labels.some((label) => isName(label, subject));
  const namesErrors =
    isNamed(all.flatMap((card) => card.errorTypes)) && !isNamed(all.flatMap((card) => card.topicTags));
  if (operation !== 'hybridSearch' || !defaultWeights || weights.error + avoid.error > 0 || !namesErrors)
    return request;
  const { question, solution, concept } = weights;
  return { ...request, weights: { ...weights, error: 4 * (question + solution + concept) } };
}

/** The hits of a search that is not layered, without a limit to their number: each card's score. */
export function bruteForce(all: readonly Card[], given: SearchRequest): ReadonlyMap<string, number> {
  const request = weighingNamedErrors(all, given);
  const { subject, filter, fusion, minScore, perLane } = request;
  const own = subject.kind === 'card' ? all.find(({ id }) => id === subject.cardId) : undefined;
  if (subject.kind === 'card' && own === undefined) throw new Error('no such card');
  const others = all.filter((card) => card !== own);
  const weights = weightsFor(request);
  const compared = compare({ all, cards: others, own }, request, weights);
  // The filter comes last: cards that it leaves out vote for labels all the same.
  const isMatch = others.map((card) => matchesFilter(filter, card));
  const cards = others.filter((_, row) => isMatch[row]);
  const lanes = compared.map((scores) => scores?.filter((_, row) => isMatch[row]) ?? null);
  const matrix = { cardIds: cards.map(({ id }) => id), lanes };
  const scoreOf = (by: Float64Array, how: typeof fusion, row: number): number =>
    naiveScore(matrix, by, how, row) ?? Number.NaN;
  const avoids = weights.some((weight) => weight < 0);
  const similarity = (row: number): number =>
    scoreOf(
      weights.map((weight) => Math.max(0, weight)),
      'WEIGHTED',
      row,
    );

  let rows = cards.map((_, row) => row);
  const fused = (row: number): number => scoreOf(weights, fusion, row);
  rows = rows.filter((row) => (avoids ? fused(row) > 0 : fused(row) >= 0));
  if (perLane !== null) {
    const among = rows;
    rows = rows.filter((row) =>
      lanes.some((scores, lane) => {
        const score = (one: number): number => scores?.[one] || 0;
        const better = among.filter((other) => score(other) > score(row)).length;
        return (weights[lane] as number) > 0 && score(row) > 0 && better < perLane;
      }),
    );
  }
  if (minScore !== null) {
    rows = rows.filter((row) => (fusion === 'WEIGHTED' ? fused(row) : similarity(row)) >= minScore);
  } else {
    const steps = request.thresholdSteps ?? [];
    const enough = Math.min(request.minResults, request.topK);
    const reaching = (step: number): number[] => rows.filter((row) => similarity(row) >= step);
    const last = steps.find((step) => reaching(step).length >= enough) ?? steps.at(-1);
    if (last !== undefined) rows = reaching(last);
  }
  return new Map(rows.map((row) => [matrix.cardIds[row] as string, fused(row)]));
}

interface Notebook {
  readonly all: readonly Card[];
  /** Those to compare. */
  readonly cards: readonly Card[];
  /** The card that is searched from. */
  readonly own: Card | undefined;
}

/**
 * The lane that also compares a text with all texts of a card as one, unless it is avoided: a long text does not
 * describe an error.
 */
function combinedLane({ operation, avoid }: SearchRequest, words: readonly string[]): Perspective | null {
  const isAsked = (perspective: Perspective): Perspective | null => (avoid[perspective] > 0 ? null : perspective);
  if (operation === 'hybridSearch') return isAsked('question');
  if (operation === 'byConcept') return isAsked('concept');
  return operation === 'byError' && new Set(contentTerms(words)).size <= 16 ? isAsked('error') : null;
}

/** Every card in every lane that is asked for, in the order of LANES: NaN if there is no text. */
function compare(
  { all, cards, own }: Notebook,
  request: SearchRequest,
  weights: Float64Array,
): readonly (Float64Array | null)[] {
  const { subject, keywords } = request;
  const query = subject.kind === 'text' ? byPerspective(() => passageVectors(subject.text)) : own && vectorsOf(own);
  const texts = own === undefined ? undefined : perspectiveTexts(own);
  const twice = [...keywords, ...keywords].flatMap(literalWords);
  const wordsOf = (perspective: Perspective): readonly string[] => {
    const said = subject.kind === 'text' ? [subject.text] : (texts?.[perspective] ?? []);
    return said.length === 0 ? [] : [...said.flatMap(literalWords), ...twice];
  };
  const index = new LexicalIndex(literalWords);
  for (const card of all) index.set(card);
  const combined = subject.kind === 'text' ? combinedLane(request, wordsOf('question')) : null;

  const lanes = LANES.map(({ kind, perspective }, lane): Float64Array | null => {
    if (kind === 'INFERRED' || weights[lane] === 0) return null;
    const words = wordsOf(perspective);
    return Float64Array.from(cards, (card) => {
      const similarity = (one: Perspective): number => bestPair(query?.[one] ?? [], vectorsOf(card)[one]);
      if (kind === 'DENSE') {
        // A text may be an attempt; without a question or solution to compare, NaN, the error's text decides.
        const attempt = (similarity('question') + similarity('solution')) / 2;
        const own = similarity(perspective);
        return perspective === 'error' && subject.kind === 'text' && attempt > own ? attempt : own;
      }
      return words.length === 0
        ? Number.NaN
        : (index.texts.scores(perspective, words, index.cards.docsOf([card.id]), perspective === combined)[0] ??
            Number.NaN);
    });
  });

  // Who is near is asked of the texts alone, by what is sought.
  const byTexts = cards.map((_, row) => {
    let sum = 0;
    let total = 0;
    lanes.forEach((scores, lane) => {
      const weight = weights[lane] as number;
      const score = scores?.[row] ?? Number.NaN;
      if (weight <= 0 || Number.isNaN(score)) return;
      sum += weight * score;
      total += weight;
    });
    return sum / total;
  });
  const formula = subject.kind === 'text' ? formulaOf(wordsOf('question')) : [];
  const isSameQuestion = (row: number): boolean => {
    const has = new Set(perspectiveTexts(cards[row] as Card).question.flatMap(literalWords));
    const hasFormula = formula.length > 0 && formula.every((term) => has.has(term));
    const ofQuestion = [...LANES.keys()].filter((lane) => LANES[lane]?.perspective === 'question');
    if (ofQuestion.some((lane) => (weights[lane] as number) <= 0)) return false;
    return hasFormula || ofQuestion.every((lane) => (lanes[lane]?.[row] ?? 0) >= 0.999);
  };
  const near = cards
    .map((card, row) => ({ card, score: byTexts[row] as number }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score || (a.card.id < b.card.id ? -1 : 1));
  return LANES.map(({ kind, perspective }, lane) => {
    if (kind !== 'INFERRED' || weights[lane] === 0) return lanes[lane] ?? null;
    const labelsOf = (card: Card): readonly string[] => (perspective === 'error' ? card.errorTypes : card.topicTags);
    const known = own === undefined ? [] : labelsOf(own);
    const asked = subject.kind === 'text' ? wordsOf('question') : [...wordsOf('question'), ...wordsOf('solution')];
    const given =
      known.length > 0
        ? new Map(known.map((label) => [label, 1 / known.length]))
        : new Map([
            ...labelPosteriors({
              likely: index.profiles[perspective].rank(asked, 20),
              nearest: near.map(({ card, score }) => ({ labels: labelsOf(card), score })),
              cardsOf: (label) => all.filter((card) => labelsOf(card).includes(label)).length,
            }),
            ...all.flatMap(labelsOf).flatMap((label) => (isName(label, subject) ? [[label, 1] as const] : [])),
          ]);
    const others = new Set(all.filter(({ id }) => id !== own?.id).flatMap(labelsOf));
    const withAlike = withLikeNamed(given, (label) =>
      known.length > 0 && others.has(label)
        ? new Map()
        : index.profiles[perspective].names.namedLike([[label, 1]], (cosine) => cosine),
    );
    const posterior = new Map([...withAlike].filter(([label]) => known.length === 0 || others.has(label)));
    const shareOf = (label: string): number =>
      (all.filter((card) => labelsOf(card).includes(label)).length / all.length) ** 2;
    const shared = [...posterior].reduce((sum, [label, value]) => sum + value * shareOf(label), 0);
    const distinct = [...posterior].reduce((sum, [label, value]) => sum + value * (1 - shareOf(label)), 0);
    const least = Math.min(shared, 10 * distinct, 0.9);
    const valueOfLabels = (card: Card): number => {
      const sum = Math.min(
        1,
        labelsOf(card).reduce((total, label) => total + (posterior.get(label) ?? 0), 0),
      );
      return Math.max(sum / 10, (sum - least) / (1 - least)) ** 0.25;
    };
    const labelled = near.slice(0, 30).filter(({ card }) => labelsOf(card).length > 0);
    const voted = labelled.reduce((sum, { card, score }) => sum + valueOfLabels(card) * score ** 8, 0);
    const ratio = voted / labelled.reduce((sum, { score }) => sum + score ** 9, 0);
    return Float64Array.from(cards, (card, row) => {
      if (posterior.size === 0) return Number.NaN;
      if (isSameQuestion(row)) return 1;
      if (labelsOf(card).length > 0) return valueOfLabels(card);
      const own = byTexts[row] || 0;
      return Math.max(own ** 6, Math.min(1, 0.45 * (ratio || 0) * own));
    });
  });
}

/** Whether the text is the name of the label. */
function isName(label: string, subject: SearchRequest['subject']): boolean {
  const nameOf = (text: string): string => phraseOf(text, { segments: (run) => [run] }).text;
  return subject.kind === 'text' && nameOf(label) === nameOf(subject.text);
}

/** The posterior, or half of a likely label's times the squared similarity of the names. */
function withLikeNamed(
  posteriors: ReadonlyMap<string, number>,
  similarTo: (label: string) => ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const all = [...posteriors].flatMap(([label, posterior]): (readonly [string, number])[] => {
    const others = posterior < 0.01 ? [] : [...similarTo(label)];
    return [[label, posterior], ...others.map(([other, cosine]) => [other, posterior * cosine ** 2 * 0.5] as const)];
  });
  return new Map(all.sort(([, a], [, b]) => a - b));
}

function vectorsOf(card: Card): ByPerspective<readonly Float32Array[]> {
  const passages = passagesOf(card, literalEmbedder);
  return byPerspective((perspective) => passages[perspective].map(({ text }) => vectorOf(text)));
}

function bestPair(queries: readonly Float32Array[], passages: readonly Float32Array[]): number {
  const products = queries.flatMap((query) =>
    passages.map((passage) => query.reduce((dot, value, place) => dot + value * (passage[place] ?? Number.NaN), 0)),
  );
  return products.length === 0 ? Number.NaN : Math.min(1, Math.max(0, ...products));
}

function passageVectors(text: string): readonly Float32Array[] {
  const passages = split(text, literalEmbedder.maxChars);
  return passages.filter(literalEmbedder.embeds).map(vectorOf);
}
