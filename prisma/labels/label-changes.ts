import { batches } from '../../src/domain/async.js';
import { BadInputError } from '../../src/domain/errors.js';
import { type LabelKind, MAX_CHANGED_CARDS } from '../../src/domain/labels.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { lockCards } from '../cards/card-rows.js';
import { Prisma } from '../generated/client.js';
import { markCards } from '../indexing/dirty.js';
import type { ViewerTransaction } from '../statements.js';
import { ofTenant, tenantOf } from '../viewer-conditions.js';
import type { StoredLabel } from './label-tables.js';
import { LABEL_TABLES } from './labels.js';

/** Ids of one statement of Prisma's, each a value of its own: 9,000 at once blocked the event loop for 40 ms. */
const UPDATED_TOGETHER = 1_000;

interface Rewrite {
  readonly kind: LabelKind;
  readonly from: readonly StoredLabel[];
  /** With its new name. */
  readonly into: StoredLabel;
}

/**
 * Replaces the labels `from` by `into` in all cards of the tenant and the error types of their occurrences, with
 * revisions and outbox rows. Returns the number of cards. BadInputError (`from`) if there are too many.
 */
export async function rewriteCards(tx: ViewerTransaction, viewer: Viewer, rewrite: Rewrite): Promise<number> {
  const { tenantId } = viewer;
  await lockJoins(tx, viewer, rewrite);
  const ids = await cardsWith(tx, viewer, rewrite);
  if (ids.length === 0) return 0;
  if (ids.length > MAX_CHANGED_CARDS) {
    throw new BadInputError('from', `more than ${MAX_CHANGED_CARDS} cards carry it: the limit of one change`);
  }
  await lockCards(tx, ofTenant(viewer, 'c'), ids);
  await moveJoins(tx, viewer, rewrite);
  if (rewrite.kind === 'errorTypes') await renameInOccurrences(tx, viewer, rewrite, ids);
  for (const some of batches(ids, UPDATED_TOGETHER)) {
    await tx.prisma.card.updateMany({
      where: { ...tenantOf(viewer), id: { in: [...some] } },
      data: { revision: { increment: 1 }, updatedAt: tx.now },
    });
  }
  await markCards(tx, tenantId, ids, { bulk: true });
  return ids.length;
}

/** Until the transaction ends, no other one gives these labels to a card: one that does is waited for first. */
async function lockJoins(tx: ViewerTransaction, { tenantId }: Viewer, { kind, from }: Rewrite): Promise<void> {
  const ids = from.map(({ id }) => id);
  await tx.query(Prisma.sql`
    SELECT FROM ${LABEL_TABLES[kind].label} WHERE tenant_id = ${tenantId} AND id = ANY(${ids}::bigint[]) FOR UPDATE`);
}

/** An occurrence may have an error type that was removed from its card. Grouped, since `distinct` reads all rows. */
async function cardsWith(
  { prisma }: ViewerTransaction,
  { tenantId }: Viewer,
  { kind, from }: Rewrite,
): Promise<readonly string[]> {
  const ids = { in: from.map(({ id }) => id) };
  const names = { hasSome: from.map(({ name }) => name) };
  const rest = { by: ['cardId' as const], orderBy: { cardId: 'asc' as const }, take: MAX_CHANGED_CARDS + 1 };
  const found =
    kind === 'topicTags'
      ? await prisma.cardTopicTag.groupBy({ where: { tenantId, topicTagId: ids }, ...rest })
      : [
          ...(await prisma.cardErrorType.groupBy({ where: { tenantId, errorTypeId: ids }, ...rest })),
          ...(await prisma.cardOccurrence.groupBy({ where: { tenantId, errorTypes: names }, ...rest })),
        ];
  return [...new Set(found.map(({ cardId }) => cardId))];
}

/** The new label gets the first place of the replaced ones. No-op for a rename. */
async function moveJoins(tx: ViewerTransaction, { tenantId }: Viewer, { kind, from, into }: Rewrite): Promise<void> {
  const gone = from.map(({ id }) => id).filter((id) => id !== into.id);
  if (gone.length === 0) return;
  const { join, labelId } = LABEL_TABLES[kind];
  await tx.execute(Prisma.sql`
    WITH gone AS (
      DELETE FROM ${join} WHERE tenant_id = ${tenantId} AND ${labelId} = ANY(${gone}::bigint[]) RETURNING card_id, position
    )
    INSERT INTO ${join} (tenant_id, ${labelId}, card_id, position)
    SELECT ${tenantId}, ${into.id}::bigint, card_id, min(position) FROM gone GROUP BY card_id
    ON CONFLICT (tenant_id, ${labelId}, card_id) DO NOTHING`);
}

async function renameInOccurrences(
  tx: ViewerTransaction,
  { tenantId }: Viewer,
  { from, into }: Rewrite,
  cardIds: readonly string[],
): Promise<void> {
  const names = from.map(({ name }) => name);
  await tx.execute(Prisma.sql`
    UPDATE card_occurrence o SET error_types = ARRAY(
      SELECT renamed.name FROM (
        SELECT CASE WHEN u.name = ANY(${names}::text[]) THEN ${into.name} ELSE u.name END AS name, min(u.place) AS place
        FROM unnest(o.error_types) WITH ORDINALITY AS u (name, place) GROUP BY 1) renamed
      ORDER BY renamed.place)
    WHERE o.tenant_id = ${tenantId} AND o.card_id = ANY(${cardIds}::text[]) AND o.error_types && ${names}::text[]`);
}
