import type { NewCard } from '../src/domain/card.js';
import { type ByPerspective, byPerspective } from '../src/domain/perspective.js';
import { atOnce } from '../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { LexicalIndex } from '../src/lexical/lexical-index.js';
import { analyserOf } from '../src/lexical/terms.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { embedText } from '../src/search/embed.js';
import { fuse } from '../src/search/fuse.js';
import { labelCandidates } from '../src/search/label.js';
import { lanesOf, weightsOf } from '../src/search/lanes.js';
import { INFERRED_WEIGHT } from '../src/search/profile.js';
import { textQuerySteps } from '../src/search/query/query.js';
import { scoreSteps } from '../src/search/score.js';
import { Phrases } from '../src/text/phrases.js';
import { Synonyms } from '../src/text/synonyms.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { WordWeights } from '../src/text/word-weights.js';
import type { PackedVectors } from '../src/vectors/packed.js';
import { vectorsOf } from './card-vectors.js';

export interface Asked {
  readonly text: string;
  readonly weights: ByPerspective<number>;
  readonly lexicalShare: number;
}

/** Scores that differ by less count as equal. */
const EQUAL = 1e-9;

/** A notebook in which every card is scored for every query: the exhaustive reference. */
export class ExhaustiveSearch {
  readonly #tokenizer = new Tokenizer();
  readonly #embedder = new BuiltinEmbedder(this.#tokenizer, new WordWeights());
  readonly #synonyms = new Synonyms(new Phrases(this.#tokenizer));
  readonly #vectors = new Map<string, PackedVectors>();
  readonly #index = new LexicalIndex(analyserOf(this.#tokenizer));
  readonly #signal = new AbortController().signal;

  /** Reads the cards; each must have an id. */
  async add(cards: readonly NewCard[]): Promise<void> {
    for (const given of cards) {
      const id = String(given.id);
      this.#vectors.set(id, (await vectorsOf(given, this.#embedder)).packed);
      this.#index.set({ ...given, id, ownerId: DEFAULT_VIEWER.ownerId, revision: 1, updatedAt: given.occurredAt });
    }
  }

  /** The scores of a `hybridSearch`, of all cards of `ids` that have one, by id. */
  async scores(ids: readonly string[], { text, weights, lexicalShare }: Asked): Promise<ReadonlyMap<string, number>> {
    const avoid = byPerspective(() => 0);
    const asked = { operation: 'hybridSearch', avoid } as const;
    const vectors = await embedText(this.#embedder, text, this.#signal);
    const parts = { index: this.#index, synonyms: this.#synonyms, asked };
    const query = atOnce(textQuerySteps(parts, text, vectors, { keywords: [], expand: true }));
    const lanes = weightsOf(lanesOf({ weights, lexicalShare, inferredWeight: INFERRED_WEIGHT, expand: true, avoid }));
    const known = { vectors: this.#vectors, index: this.#index };
    // Filtered cards also vote for labels.
    const scored = atOnce(scoreSteps([...this.#vectors.keys()], known, query, (lane) => lanes[lane] !== 0));
    const { matrix } = labelCandidates(scored, lanes, query, this.#index);
    const { order, scores } = fuse(matrix, lanes, 'WEIGHTED');
    const wanted = new Set(ids);
    const found = new Map(order.map((row) => [matrix.cardIds[row] as string, scores[row] as number]));
    return new Map([...found].filter(([id]) => wanted.has(id)));
  }
}

/** The share, 0 .. 1, of the `k` best cards (or equally good ones) that a search found; 1 if there are none. */
export function recallOf(found: readonly string[], scores: ReadonlyMap<string, number>, k: number): number {
  const best = [...scores.values()].sort((a, b) => b - a).slice(0, k);
  const least = best.at(-1);
  if (least === undefined) return 1;
  const good = found.slice(0, k).filter((id) => (scores.get(id) ?? 0) >= least - EQUAL);
  return good.length / best.length;
}
