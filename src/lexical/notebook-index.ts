import { type CardContent, perspectiveTexts } from '../domain/card.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { LabelPerspective } from '../domain/search.js';
import { Bm25Index } from './bm25.js';
import { featureWeight } from './features.js';
import { type InferredLabel, LabelProfiles } from './profiles.js';
import type { ScoredCard } from './top.js';

/** What of a card is matched by words and labels. */
export type LexicalCard = Pick<
  CardContent,
  'questionText' | 'studentSolutionText' | 'goldSolutionBrief' | 'topicTags' | 'errorTypes'
> & { readonly id: string; readonly revision: number };

/** No text that a person wrote has as many; one of signs alone may, and is matched by its first ones. */
const MAX_FEATURES = 20_000;

/** The words and formula shapes of a text, by which it is matched; always the same ones for the same text. */
export type Analyse = (text: string) => readonly string[];

/**
 * One tenant's cards as words and labels: a BM25 index for each perspective, and what the cards of each topic tag and of each
 * error type have in common. Exact after any change; kept in memory and rebuilt from the cards.
 */
export class NotebookIndex {
  readonly #analyse: Analyse;
  readonly #lanes: ByPerspective<Bm25Index> = byPerspective(() => new Bm25Index(featureWeight));
  readonly #profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;

  /** By card: which revision of it is here. */
  readonly #revisions = new Map<string, number>();

  constructor(analyse: Analyse) {
    this.#analyse = analyse;
    this.#profiles = { concept: new LabelProfiles(analyse), error: new LabelProfiles(analyse) };
  }

  /** How many cards there are: every card has a question. */
  get size(): number {
    return this.#lanes.question.size;
  }

  /** The size of the arrays; the strings of ids, words and labels come on top. */
  get bytes(): number {
    const profiles = this.#profiles.concept.bytes + this.#profiles.error.bytes;
    return PERSPECTIVES.reduce((sum, perspective) => sum + this.#lanes[perspective].bytes, profiles);
  }

  /** The revision of the card that is here; 0 where it is not. */
  revisionOf(cardId: string): number {
    return this.#revisions.get(cardId) ?? 0;
  }

  /** Sets what a card says, whether it was here before or not; an older revision than the one that is here is passed over. */
  set(card: LexicalCard): void {
    if (card.revision < this.revisionOf(card.id)) return;
    this.#revisions.set(card.id, card.revision);
    const texts = perspectiveTexts(card);
    const features = byPerspective((perspective) => this.featuresOf(texts[perspective]));
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].set(card.id, features[perspective]);
    const prose = [...features.question, ...features.solution];
    this.#profiles.concept.set(card.id, card.topicTags, prose);
    this.#profiles.error.set(card.id, card.errorTypes, prose);
  }

  /** Without effect where the card is not here. */
  delete(cardId: string): void {
    this.#revisions.delete(cardId);
    for (const perspective of PERSPECTIVES) this.#lanes[perspective].delete(cardId);
    this.#profiles.concept.delete(cardId);
    this.#profiles.error.delete(cardId);
  }

  /** What texts are matched by, in order. */
  featuresOf(texts: readonly string[]): readonly string[] {
    return texts.flatMap(this.#analyse).slice(0, MAX_FEATURES);
  }

  /** The best cards by the words of one perspective: see {@link Bm25Index.search}. */
  search(
    perspective: Perspective,
    features: readonly string[],
    limit: number,
    admitted?: ReadonlySet<string>,
  ): ScoredCard[] {
    return this.#lanes[perspective].search(features, limit, admitted);
  }

  /** The cards' scores by the words of one perspective, in order; null where a card has no text there. */
  scores(perspective: Perspective, features: readonly string[], cardIds: readonly string[]): (number | null)[] {
    return this.#lanes[perspective].scores(features, cardIds);
  }

  /** The labels that a text may deserve, at most `limit`, best first. */
  infer(perspective: LabelPerspective, features: readonly string[], limit: number): InferredLabel[] {
    return this.#profiles[perspective].infer(features, limit);
  }

  /** The card's topic tags or error types, in alphabetical order; none where it has none or is not here. */
  labelsOf(perspective: LabelPerspective, cardId: string): string[] {
    return this.#profiles[perspective].labelsOf(cardId);
  }

  /** The cards that carry a label, in no particular order. */
  cardsOf(perspective: LabelPerspective, label: string): readonly string[] {
    return this.#profiles[perspective].cardsOf(label);
  }
}
