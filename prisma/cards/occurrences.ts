import { isDeepStrictEqual } from 'node:util';
import type { Card, CardContent } from '../../src/domain/card.js';
import { groupedBy } from '../../src/domain/grouped.js';
import type { MergedContent, Occurrence } from '../../src/domain/occurrence.js';
import type { TracedOccurrence } from '../../src/domain/ports/imports.js';
import { Prisma } from '../generated/client.js';
import type { Transaction } from '../statements.js';

export async function findOccurrences(
  { prisma }: Transaction,
  tenantId: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, readonly (Occurrence & TracedOccurrence)[]>> {
  const rows = await prisma.cardOccurrence.findMany({
    where: { tenantId, cardId: { in: [...cardIds] } },
    omit: { tenantId: true, createdAt: true },
    orderBy: [{ cardId: 'asc' }, { number: 'asc' }],
  });
  const occurrenceOf = ({ cardId: _, merged, ...occurrence }: (typeof rows)[number]) => {
    return { ...occurrence, merged: merged as MergedContent | null };
  };
  return new Map([...groupedBy(rows, ({ cardId }) => cardId)].map(([id, own]) => [id, own.map(occurrenceOf)]));
}

/** Inserts the first occurrence of a new card. */
export function insertOccurrence(card: CardContent & Pick<Card, 'tenantId' | 'id'>): Prisma.Sql {
  return Prisma.sql`INSERT INTO card_occurrence (tenant_id, card_id, number, occurred_at, wrong_solution, error_types)
    VALUES (${card.tenantId}, ${card.id}, 1, ${card.occurredAt}::timestamptz, ${card.studentSolutionText},
      ${card.errorTypes}::text[])`;
}

const CORRECTABLE = { number: true, occurredAt: true, wrongSolution: true, errorTypes: true } as const;

/**
 * A correction of the card also corrects, for each field, the latest occurrence with the card's former value. After a
 * merge the card's value may be of no single occurrence; then none is changed.
 */
export async function correctOccurrences({ prisma }: Transaction, before: Card, after: Card): Promise<void> {
  const where = { tenantId: after.tenantId, cardId: after.id };
  const stored = await prisma.cardOccurrence.findMany({ where, select: CORRECTABLE, orderBy: { number: 'desc' } });
  const { occurredAt, studentSolutionText: wrongSolution, errorTypes } = after;
  const corrections = new Map<number, Prisma.CardOccurrenceUpdateManyMutationInput>();
  const correct = (
    said: (one: (typeof stored)[number]) => boolean,
    correction: Prisma.CardOccurrenceUpdateManyMutationInput,
  ): void => {
    const number = stored.find(said)?.number;
    if (number !== undefined) corrections.set(number, { ...corrections.get(number), ...correction });
  };
  correct((one) => one.occurredAt.getTime() === before.occurredAt.getTime(), { occurredAt });
  correct((one) => one.wrongSolution === before.studentSolutionText, { wrongSolution });
  correct((one) => isDeepStrictEqual(one.errorTypes, before.errorTypes), { errorTypes: { set: [...errorTypes] } });
  for (const [number, data] of corrections) {
    await prisma.cardOccurrence.updateMany({ where: { ...where, number }, data });
  }
}
