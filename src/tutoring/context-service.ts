import { type Card, questionOf } from '../domain/card.js';
import { cardByGivenId, type MergeableCards } from '../domain/given-ids.js';
import { parseTutoring, parseTutoringProfile } from '../domain/parse/tutoring.js';
import type { SearchProfiles } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { ContextBuilder, OnSearch } from '../domain/ports/tutoring.js';
import type { SearchRequest } from '../domain/search.js';
import { inSteps } from '../domain/steps.js';
import type { TutoringContext, TutoringRequest } from '../domain/tutoring.js';
import type { Viewer } from '../domain/viewer.js';
import { nullIfEmpty } from '../search/empty-query.js';
import { type GivenSearch, searchSettings } from '../search/profile.js';
import { contextSteps, NOTHING_SEARCHED, type Searched } from './assemble.js';
import { loadTokenCounter } from './tokens.js';

/** Of a card's question and wrong solution, in code points: more says no more of the error, and takes longer. */
const MAX_ATTEMPT_CHARS = 2_000;

export interface ContextServiceParts {
  readonly engine: SearchEngine;
  readonly cards: MergeableCards;
  readonly profiles: Pick<SearchProfiles, 'named' | 'chosen'>;
}

/** Searches, then assembles: nothing but the viewer's own searches decides what is in a context. */
export class ContextService implements ContextBuilder {
  constructor(private readonly parts: ContextServiceParts) {}

  async context(viewer: Viewer, args: unknown, signal: AbortSignal, onSearch?: OnSearch): Promise<TutoringContext> {
    const request = await this.#parse(viewer, args);
    const { subject } = request.related;
    const card = subject.kind === 'text' ? null : await cardByGivenId(this.parts.cards, viewer, subject.cardId, signal);
    const search = async (operation: 'hybridSearch' | 'byError', asked: SearchRequest): Promise<Searched> => {
      const startedMs = Date.now();
      const searching = () => this.parts.engine.search(viewer, asked, signal);
      // The viewer asks about the card, which is evidence even if its texts are of punctuation alone.
      const result = await (card === null ? searching() : nullIfEmpty(searching));
      if (result === null) return NOTHING_SEARCHED;
      onSearch?.(operation, startedMs, result.receipt);
      return result;
    };
    const [related, sameError] = await Promise.all([
      search('hybridSearch', request.related),
      search('byError', byErrorOf(request.sameError, card)),
    ]);
    // After the searches, whose deadline the first load would exceed on a busy machine; the rest is not subject to it.
    const count = await loadTokenCounter();
    return inSteps(contextSteps(request, { card, related, sameError }, count));
  }

  async #parse(viewer: Viewer, args: unknown): Promise<TutoringRequest> {
    const { profiles } = this.parts;
    const name = parseTutoringProfile(args);
    const profile = await (name === null ? profiles.chosen(viewer) : profiles.named(viewer, name, 'profile'));
    // The limits of the evidence are for weights that were chosen by hand.
    const { learned: _, ...chosen } = profile;
    return parseTutoring(args, (operation) => searchSettings(operation, chosen, args as GivenSearch));
  }
}

/** A card without error types has nothing to be searched from by error: its own words tell what its errors may be. */
function byErrorOf(request: SearchRequest, card: Card | null): SearchRequest {
  if (card === null || card.errorTypes.length > 0) return request;
  const words = [questionOf(card), card.studentSolutionText ?? ''].join('\n').trim();
  const text = [...words].slice(0, MAX_ATTEMPT_CHARS).join('');
  const excludeCardIds = [...(request.filter.excludeCardIds ?? []), card.id];
  return { ...request, subject: { kind: 'text', text }, filter: { ...request.filter, excludeCardIds } };
}
