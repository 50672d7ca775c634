import { groupedBy } from '../../src/domain/grouped.js';
import { MAX_OCCURRENCES } from '../../src/domain/occurrence.js';
import type { AttemptToRecord } from '../../src/domain/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { lockCards } from '../cards/card-rows.js';
import { Prisma } from '../generated/client.js';
import { markCards } from '../indexing/dirty.js';
import { pairs, type ViewerTransaction } from '../statements.js';
import { ofTenant } from '../viewer-conditions.js';

export type StudentAttempt = AttemptToRecord & { readonly ownerId: string };

/**
 * Records wrong attempts as occurrences of the students' own cards, which get new revisions, outbox rows and, as in a
 * merge, the time of the latest occurrence. Returns the number of these cards. SQL: Prisma's `createMany` of 500 rows
 * blocks the event loop for 0.14 s (by hand).
 */
export async function recordMistakes(
  tx: ViewerTransaction,
  viewer: Viewer,
  recorded: readonly StudentAttempt[],
): Promise<number> {
  const mistakes = groupedBy(
    recorded.filter(({ correct, recordOccurrence }) => recordOccurrence && !correct),
    ({ cardId }) => cardId,
  );
  if (mistakes.size === 0) return 0;
  const { prisma } = tx;
  const { tenantId } = viewer;
  const given = pairs([...mistakes.values()].flat().map(({ ownerId, cardId }) => [ownerId, cardId]));
  const own = Prisma.sql`${ofTenant(viewer, 'c')} AND (c.owner_id, c.id) IN (SELECT * FROM ${given})`;
  // Locked, because another transaction may be renaming the error types that are copied here.
  const locked = await lockCards(tx, own, [...mistakes.keys()]);
  const cards = await prisma.card.findMany({
    where: { tenantId, id: { in: locked.map(({ id }) => id) } },
    select: {
      id: true,
      ownerId: true,
      occurrences: { select: { number: true } },
      errorTypes: { select: { errorType: { select: { name: true } } }, orderBy: { position: 'asc' } },
    },
  });
  const data = cards.flatMap(({ id: cardId, ownerId, occurrences, errorTypes }) => {
    const ofOwner = mistakes.get(cardId)?.filter((mistake) => mistake.ownerId === ownerId) ?? [];
    const last = Math.max(0, ...occurrences.map(({ number }) => number));
    return ofOwner.slice(0, MAX_OCCURRENCES - occurrences.length).map(({ key, at, answer }, place) => ({
      cardId,
      number: last + place + 1,
      occurredAt: at,
      wrongSolution: answer,
      errorTypes: errorTypes.map(({ errorType: { name } }) => name),
      origin: `attempt ${JSON.stringify([ownerId, key])}`,
    }));
  });
  await tx.execute(Prisma.sql`
    INSERT INTO card_occurrence (tenant_id, card_id, number, occurred_at, wrong_solution, error_types, origin)
    SELECT ${tenantId}, r.* FROM jsonb_to_recordset(${JSON.stringify(data)}::jsonb) AS r ("cardId" text, number int,
      "occurredAt" timestamptz, "wrongSolution" text, "errorTypes" text[], origin text)
    ON CONFLICT DO NOTHING`);
  const latest = new Map<string, Date>();
  for (const { cardId, occurredAt } of data) {
    if (occurredAt >= (latest.get(cardId) ?? occurredAt)) latest.set(cardId, occurredAt);
  }
  const changed = [...latest.keys()];
  if (changed.length === 0) return 0;
  await tx.execute(Prisma.sql`
    UPDATE card c SET revision = c.revision + 1, updated_at = ${tx.now}, occurred_at = GREATEST(c.occurred_at, r.at)
    FROM unnest(${changed}::text[], ${[...latest.values()]}::timestamptz[]) AS r (id, at)
    WHERE ${ofTenant(viewer, 'c')} AND c.id = r.id`);
  await markCards(tx, tenantId, changed, { bulk: false });
  return changed.length;
}
