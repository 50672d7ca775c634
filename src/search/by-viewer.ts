import type { SearchEngine, TagSuggester } from '../domain/ports/gateway.js';
import type { SearchRequest, SearchResult, TagSuggestion } from '../domain/search.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { Engine, type EngineParts } from './engine.js';
import type { OwnerIndexes } from './own-notebooks.js';
import { ProfileSuggester } from './suggest.js';

/** What searches and suggestions stand on, for every kind of viewer. */
export interface ByViewerParts extends EngineParts {
  readonly notebooks: Pick<OwnerIndexes, 'of'>;
}

/** Answers who may see all of a tenant from the tenant's words, everyone else from the words of what they may see. */
export class ByViewer implements SearchEngine, TagSuggester {
  readonly #parts: ByViewerParts;

  constructor(parts: ByViewerParts) {
    this.#parts = parts;
  }

  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const lexical = await this.#wordsOf(viewer, signal);
    return new Engine({ ...this.#parts, lexical }).search(viewer, request, signal);
  }

  async suggest(viewer: Viewer, text: string, first: number, signal: AbortSignal): Promise<readonly TagSuggestion[]> {
    return new ProfileSuggester(await this.#wordsOf(viewer, signal)).suggest(viewer, text, first);
  }

  async #wordsOf(viewer: Viewer, signal: AbortSignal): Promise<EngineParts['lexical']> {
    if (visibleOwner(viewer) === undefined) return this.#parts.lexical;
    const index = await this.#parts.notebooks.of(viewer, signal);
    return {
      of: () => index,
      set: (_tenantId, cards) => {
        for (const card of cards) index.set(card);
      },
    };
  }
}
