import type { ScoredCard } from '../../src/lexical/bm25-queries.js';

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

interface NaiveFieldsOptions {
  readonly weightOf?: (token: string, share: number) => number;
  readonly mostDocs?: number;
}

/**
 * The same over the texts of several fields as one: the idf of a word is that of the field which has it most often, as
 * in Lucene's combined fields.
 */
export class NaiveFields {
  readonly cards = new Map<string, readonly (readonly string[])[]>();
  readonly #weightOf: (token: string, share: number) => number;
  readonly #mostDocs: number;

  /** A word that more than `mostDocs` cards have in a field is as one that none has. */
  constructor({ weightOf = () => 1, mostDocs = Number.POSITIVE_INFINITY }: NaiveFieldsOptions = {}) {
    this.#weightOf = weightOf;
    this.#mostDocs = mostDocs;
  }

  /** The tokens of each field, as many fields for each card. */
  set(cardId: string, fields: readonly (readonly string[])[]): void {
    this.cards.set(cardId, fields);
  }

  /** By card id: 0 .. 1; a card without a text is missing. */
  scores(query: readonly string[]): ReadonlyMap<string, number> {
    const cards = [...this.cards.values()];
    const most = (has: (text: readonly string[]) => boolean): number =>
      Math.max(0, ...(cards[0] ?? []).map((_, field) => cards.filter((texts) => has(texts[field] ?? [])).length));
    const size = most((text) => text.length > 0);
    const averageLength = cards.flat(2).length / size;
    const scoreOf = (text: readonly string[]): number =>
      [...new Set(query)].reduce((sum, word) => {
        const having = most((one) => one.includes(word));
        const weight =
          this.#weightOf(word, having / Math.max(1, size)) * Math.log(1 + (size - having + 0.5) / (having + 0.5));
        const count = text !== query && having > this.#mostDocs ? 0 : timesIn(word, text);
        const damping = 1.2 * (1 - 0.75 + (0.75 * text.length) / averageLength);
        return sum + (timesIn(word, query) * weight * 2.2 * count) / (count + damping);
      }, 0);
    const own = scoreOf(query);
    const texts = Array.from(this.cards, ([cardId, fields]) => ({ cardId, text: fields.flat() }));
    return new Map(
      texts
        .filter(({ text }) => text.length > 0)
        .map(({ cardId, text }) => [cardId, Math.min(1, scoreOf(text) / own || 0)]),
    );
  }
}

function timesIn(word: string, text: readonly string[]): number {
  return text.filter((one) => one === word).length;
}
