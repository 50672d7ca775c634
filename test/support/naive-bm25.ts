import type { ScoredCard } from '../../src/lexical/bm25.js';

/** A textbook BM25 over a map, without an index: the reference for tests of src/lexical. */
export class NaiveBm25 {
  readonly cards = new Map<string, readonly string[]>();
  readonly #weightOf: (token: string, share: number) => number;

  constructor(weightOf: (token: string, share: number) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  set(cardId: string, tokens: readonly string[]): void {
    if (tokens.length === 0) this.cards.delete(cardId);
    else this.cards.set(cardId, tokens);
  }

  search(query: readonly string[], limit: number, matching?: ReadonlySet<string>): ScoredCard[] {
    const score = this.#scorer(query);
    const own = score(query);
    return [...this.cards]
      .filter(([cardId]) => matching?.has(cardId) ?? true)
      .map(([cardId, tokens]) => ({ cardId, raw: score(tokens) }))
      .filter(({ raw }) => raw > 0)
      .sort((a, b) => b.raw - a.raw || (a.cardId < b.cardId ? -1 : 1))
      .slice(0, limit)
      .map(({ cardId, raw }) => ({ cardId, score: Math.min(1, raw / own) }));
  }

  #scorer(query: readonly string[]): (tokens: readonly string[]) => number {
    const lengths = [...this.cards.values()].map((tokens) => tokens.length);
    const averageLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const words = [...new Set(query)];
    const containing = words.map((word) => [...this.cards.values()].filter((tokens) => tokens.includes(word)).length);
    return (tokens) =>
      words.reduce((sum, word, i) => {
        const count = tokens.filter((token) => token === word).length;
        const inQuery = query.filter((token) => token === word).length;
        const cardsWith = containing[i] ?? 0;
        const idf = Math.log(1 + (lengths.length - cardsWith + 0.5) / (cardsWith + 0.5));
        const damping = 1.2 * (1 - 0.75 + (0.75 * tokens.length) / averageLength);
        return (
          sum + (inQuery * this.#weightOf(word, cardsWith / lengths.length) * idf * 2.2 * count) / (count + damping)
        );
      }, 0);
  }
}
