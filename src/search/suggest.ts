import { BadInputError } from '../domain/errors.js';
import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { ScopeParts } from './scope.js';

/** A topic tag or error type suggested for a text. */
export interface TagSuggestion {
  readonly tag: string;
  readonly perspective: LabelPerspective;
  /** 0 .. 1: how well the text fits the cards with this label. */
  readonly score: number;
  /** Number of the tenant's cards with it. */
  readonly cards: number;
}

export class TagSuggester {
  constructor(private readonly indexes: ScopeParts['indexes']) {}

  /** Topic tags and error types suggested for a text, at most `first`, best first. BadInputError (`text`). */
  async suggest(viewer: Viewer, text: string, first: number, signal: AbortSignal): Promise<readonly TagSuggestion[]> {
    const index = await this.indexes.of(viewer, signal);
    const terms = index.termsOf([text]);
    if (terms.length === 0) throw new BadInputError('text', 'has only stop words, or no word, number or formula');
    return LABEL_PERSPECTIVES.flatMap((perspective) =>
      index.profiles[perspective]
        .rank(terms, first)
        .map(({ label, score, cards }) => ({ tag: label, perspective, score, cards })),
    )
      .sort((a, b) => b.score - a.score || (a.tag < b.tag ? -1 : 1))
      .slice(0, first);
  }
}
