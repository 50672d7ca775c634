import { vectorsOf } from '../../../bench/card-vectors.js';
import type { Card, NewCard } from '../../../src/domain/card.js';
import { LANES } from '../../../src/domain/search.js';
import { type LaneScore } from '../../../src/domain/search-result.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { analyserOf } from '../../../src/lexical/terms.js';
import { BuiltinEmbedder } from '../../../src/models/builtin.js';
import { embedText } from '../../../src/search/embed.js';
import { cardQuerySteps, type Query, textQuerySteps } from '../../../src/search/query/query.js';
import { scoreSteps } from '../../../src/search/score.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { WordWeights } from '../../../src/text/word-weights.js';
import type { PackedVectors } from '../../../src/vectors/packed.js';
import { cardOf } from '../../support/generators.js';

/** What a hit shows of a card in every lane but the inferred ones. */
export type ShownLanes = readonly Pick<LaneScore, 'kind' | 'perspective' | 'score'>[];

/** Cards by id, with their lanes. */
export type Scored = ReadonlyMap<string, ShownLanes>;

/**
 * A notebook with the built-in embedder and the words, without servers: the exact scores of any query with any card.
 */
export interface ScoredNotebook {
  readonly ids: readonly string[];
  /** Throws if there is no such card. */
  card(id: string): Card;
  /** What a text is matched by. */
  words(text: string): readonly string[];
  /** The scores of a search by a card, which need not be in the notebook. */
  byCard(card: Card, ids: readonly string[]): Promise<Scored>;
  byText(text: string, ids: readonly string[]): Promise<Scored>;
}

const tokenizer = new Tokenizer();
const embedder = new BuiltinEmbedder(tokenizer, new WordWeights());

const OWN_WORDS = { keywords: [], expand: false };

/** The notebook of these cards; each has an id. */
export async function scoredNotebook(given: readonly (Partial<NewCard> & { id: string })[]): Promise<ScoredNotebook> {
  const { signal } = new AbortController();
  const index = new LexicalIndex(analyserOf(tokenizer));
  const parts = { index, synonyms: { of: () => [], said: () => [] } };
  const cards = new Map(given.map((card) => [card.id, cardOf(card)]));
  const vectors = new Map<string, PackedVectors>();
  // Tests compare each card with all others.
  const words = new Map<string, readonly string[]>();
  for (const card of cards.values()) {
    vectors.set(card.id, (await vectorsOf(card, embedder)).packed);
    index.set(card);
  }
  const scored = (query: Query, ids: readonly string[]): Scored => {
    const table = atOnce(scoreSteps(ids, { vectors, index }, query, () => true));
    return new Map(
      ids.map((cardId, row) => {
        const lanes = LANES.flatMap(({ kind, perspective }, lane) => {
          const value = table.lanes[lane]?.[row] ?? Number.NaN;
          return Number.isNaN(value) ? [] : [{ kind, perspective, score: value }];
        });
        return [cardId, lanes];
      }),
    );
  };
  return {
    ids: [...cards.keys()],
    card(id) {
      const card = cards.get(id);
      if (card === undefined) throw new Error(`the notebook has no card ${id}`);
      return card;
    },
    words(text) {
      const known = words.get(text) ?? index.termsOf([text]);
      words.set(text, known);
      return known;
    },
    async byCard(card, ids) {
      const { vectors: own } = await vectorsOf(card, embedder);
      return scored(atOnce(cardQuerySteps(parts, card, own, OWN_WORDS)), ids);
    },
    byText: async (text, ids) =>
      scored(atOnce(textQuerySteps(parts, text, await embedText(embedder, text, signal), OWN_WORDS)), ids),
  };
}
