import { BadInputError } from '../domain/errors.js';
import type { TagSuggester, TagSuggestion } from '../domain/ports/gateway.js';
import { LABEL_PERSPECTIVES } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { ScopeParts } from './scope.js';

/** Suggests labels by their profiles. */
export class LabelSuggester implements TagSuggester {
  constructor(private readonly indexes: ScopeParts['indexes']) {}

  async suggest(viewer: Viewer, text: string, first: number, signal: AbortSignal): Promise<readonly TagSuggestion[]> {
    const index = await this.indexes.of(viewer, signal);
    const terms = index.termsOf([text]);
    if (terms.length === 0) throw new BadInputError('text', 'has no word, number or formula');
    return LABEL_PERSPECTIVES.flatMap((perspective) =>
      index.profiles[perspective]
        .rank(terms, first)
        .map(({ label, score, cards }) => ({ tag: label, perspective, score, cards })),
    )
      .sort((a, b) => b.score - a.score || (a.tag < b.tag ? -1 : 1))
      .slice(0, first);
  }
}
