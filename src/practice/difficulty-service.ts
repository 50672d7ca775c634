import type { Viewer } from '../domain/viewer.js';
import { isEmptyQuery } from '../search/empty-query.js';
import { requestBy } from '../search/profile.js';
import { type CardDifficulty, difficultyBy, NEIGHBOURS } from './card-difficulty.js';
import type { LadderServiceParts } from './ladder-service.js';

/** Attempts at the neighbours, the newest. */
const MAX_LOG = 5_000;

/**
 * How hard cards are by the cards most like them. Nothing of it is stored: a card keeps the grade that a person gave
 * it.
 */
export class DifficultyService {
  constructor(private readonly parts: Pick<LadderServiceParts, 'engine' | 'profiles' | 'attempts'>) {}

  /**
   * By the cards and attempts that the viewer may see. Null if no card is like it. NotFoundError for a card that the
   * viewer does not have.
   */
  async difficulty(viewer: Viewer, cardId: string, signal: AbortSignal): Promise<CardDifficulty | null> {
    const { engine, profiles, attempts } = this.parts;
    const { settings } = await profiles.chosen(viewer);
    const query = { operation: 'hybridSearch', subject: { kind: 'card', cardId }, filter: {} } as const;
    const result = await engine
      .search(viewer, requestBy(settings, query, NEIGHBOURS), signal)
      .catch((thrown: unknown) => {
        if (!isEmptyQuery(thrown)) throw thrown;
        return null;
      });
    const neighbours = (result?.hits ?? [])
      .filter(({ score }) => score > 0)
      .map(({ card: { id, difficulty }, score }) => ({ id, difficulty, score }));
    const cardIds = neighbours.map(({ id }) => id);
    return difficultyBy(neighbours, await attempts.log(viewer, { cardIds }, { limit: MAX_LOG }, signal));
  }
}
