import { BadInputError } from '../domain/errors.js';
import { LABEL_PERSPECTIVES, type TagSuggestion } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { LexicalIndexes } from '../lexical/indexes.js';

/** Suggests labels from what the cards that carry them have in common: BadInputError (`text`) for one without words. */
export class ProfileSuggester {
  readonly #lexical: Pick<LexicalIndexes, 'of'>;

  constructor(lexical: Pick<LexicalIndexes, 'of'>) {
    this.#lexical = lexical;
  }

  suggest({ tenantId }: Viewer, text: string, first: number): readonly TagSuggestion[] {
    const index = this.#lexical.of(tenantId);
    const features = index.termsOf([text]);
    if (features.length === 0) throw new BadInputError('text', 'has no word, number or formula to go by');
    return LABEL_PERSPECTIVES.flatMap((perspective) =>
      index
        .infer(perspective, features, first)
        .map(({ label, score, cards }) => ({ tag: label, perspective, score, cards })),
    )
      .sort((a, b) => b.score - a.score || (a.tag < b.tag ? -1 : 1))
      .slice(0, first);
  }
}
