import { isDeepStrictEqual } from 'node:util';
import type { Card, CardContent } from '../src/domain/card.js';
import type { Owner } from '../src/domain/duplicates.js';
import { MAX_OCCURRENCES, type MergedContent, type Occurrence } from '../src/domain/occurrence.js';
import type { TracedOccurrence } from '../src/domain/ports/imports.js';
import type { AttemptToRecord } from '../src/domain/practice.js';
import { Prisma } from './generated/client.js';
import type { Transaction } from './statements.js';
import { ownedBy } from './viewer-conditions.js';

/** Occurrences by card id, in order. */
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
  const byCard = new Map<string, (Occurrence & TracedOccurrence)[]>();
  for (const { cardId, merged, ...occurrence } of rows) {
    const list = byCard.get(cardId);
    const one = { ...occurrence, merged: merged as MergedContent | null };
    if (list === undefined) byCard.set(cardId, [one]);
    else list.push(one);
  }
  return byCard;
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

/** Records wrong attempts as occurrences of the student's own cards. */
export async function recordMistakes(
  { prisma }: Transaction,
  student: Owner,
  recorded: readonly AttemptToRecord[],
): Promise<void> {
  const mistakes = recorded.filter(({ correct, recordOccurrence }) => recordOccurrence && !correct);
  if (mistakes.length === 0) return;
  const { tenantId, ownerId } = student;
  const id = { in: mistakes.map(({ cardId }) => cardId) };
  const cards = await prisma.card.findMany({
    where: { ...ownedBy(student), id },
    select: {
      id: true,
      occurrences: { select: { number: true } },
      errorTypes: { select: { errorType: { select: { name: true } } }, orderBy: { position: 'asc' } },
    },
  });
  const data = cards.flatMap(({ id: cardId, occurrences, errorTypes }) => {
    const own = mistakes.filter((mistake) => mistake.cardId === cardId);
    const last = Math.max(0, ...occurrences.map(({ number }) => number));
    return own.slice(0, MAX_OCCURRENCES - occurrences.length).map(({ key, at, answer }, place) => ({
      tenantId,
      cardId,
      number: last + place + 1,
      occurredAt: at,
      wrongSolution: answer,
      errorTypes: errorTypes.map(({ errorType: { name } }) => name),
      origin: `attempt ${JSON.stringify([ownerId, key])}`,
    }));
  });
  await prisma.cardOccurrence.createMany({ data, skipDuplicates: true });
}
