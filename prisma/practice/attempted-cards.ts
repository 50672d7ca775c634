import { type AttemptToRecord, reviewedBy } from '../../src/domain/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { findSurvivors } from '../cards/merged-cards.js';
import type { Transaction } from '../statements.js';
import { visibleTo } from '../viewer-conditions.js';

export interface AttemptedCards {
  /** The ids of the cards of the attempts that the viewer may see. */
  readonly cards: ReadonlySet<string>;
  /** The attempt at the card that is there. */
  readonly placed: (attempt: AttemptToRecord) => AttemptToRecord;
}

/**
 * An attempt at a card that was merged meanwhile is one at the remaining card: attempts may arrive late, and those that
 * arrived in time were moved there.
 */
export async function findAttemptedCards(
  tx: Transaction,
  viewer: Viewer,
  attempts: readonly AttemptToRecord[],
): Promise<AttemptedCards> {
  const wanted = [...new Set(attempts.flatMap(reviewedBy))];
  const seen = await tx.prisma.card.findMany({
    where: { ...visibleTo(viewer), id: { in: wanted } },
    select: { id: true },
  });
  const cards = new Set(seen.map(({ id }) => id));
  const gone = wanted.filter((id) => !cards.has(id));
  if (gone.length === 0) return { cards, placed: (attempt) => attempt };
  const survivors = await findSurvivors(tx, viewer, gone);
  const remaining = (id: string): string => survivors.get(id) ?? id;
  return {
    cards: new Set([...cards, ...survivors.values()]),
    placed: (attempt) => {
      const { cardId, reviewOf } = attempt;
      return { ...attempt, cardId: remaining(cardId), reviewOf: reviewOf === null ? null : remaining(reviewOf) };
    },
  };
}
