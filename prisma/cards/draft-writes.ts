import { slicesOf } from '../../src/domain/grouped.js';
import { LABEL_KINDS } from '../../src/domain/labels.js';
import { contentChars } from '../../src/domain/occurrence.js';
import type { CardDraft } from '../../src/domain/ports/imports.js';
import { Prisma } from '../generated/client.js';
import { firstRevision, markCards } from '../indexing/dirty.js';
import { addLabels, removeLabels } from '../labels/labels.js';
import type { Statements, Transaction } from '../statements.js';
import { contentList, contentRow } from './card-columns.js';

/** The columns of a written card, as a record of the JSON that it comes in. */
const CARD_RECORD = Prisma.sql`r (id text, owner_id text,
  ${contentList(({ column, type }) => `${column} ${type}`)}, question_key text, question_bands int[])`;

/** Length of one statement's JSON, in UTF-16 units: serialising it blocks the event loop for some 5 ms. */
const SLICE_CHARS = 1_000_000;
const OCCURRENCES_CHARS = 250_000;

/**
 * Writes new and changed cards of a tenant: one statement a table for many cards, where Prisma would make one for each.
 * Labels are replaced, stored occurrences updated and new ones added. Every card gets a new revision and an outbox row,
 * as {@link markCards} says.
 */
export async function writeDrafts(
  tx: Transaction,
  tenantId: string,
  drafts: readonly CardDraft[],
  order: { readonly bulk: boolean },
): Promise<void> {
  for (const slice of slicesOf(drafts, contentChars, SLICE_CHARS)) {
    await writeSlice(tx, tenantId, slice);
    const ids = slice.map(({ id }) => id);
    await markCards(tx, tenantId, ids, order);
  }
}

async function writeSlice(tx: Transaction, tenantId: string, drafts: readonly CardDraft[]): Promise<void> {
  const added = drafts.filter(({ state }) => state === 'NEW');
  const changed = drafts.filter(({ state }) => state === 'CHANGED');
  await insertCards(tx, tenantId, added);
  await updateCards(tx, tenantId, changed);
  const changedIds = changed.map(({ id }) => id);
  if (changed.length > 0) {
    for (const kind of LABEL_KINDS) await removeLabels(tx, kind, tenantId, changedIds);
  }
  const labels = drafts.map(({ id, content: { topicTags, errorTypes } }) => ({ id, topicTags, errorTypes }));
  await addLabels(tx, tenantId, labels);
  await writeOccurrences(tx, tenantId, drafts);
}

/** The revisions of a card whose id a deleted one had continue those of that one. */
async function insertCards(tx: Statements, tenantId: string, drafts: readonly CardDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  await tx.execute(Prisma.sql`
    INSERT INTO card
      (tenant_id, id, owner_id, ${contentList(({ column }) => column)}, question_key, question_bands, revision)
    SELECT ${tenantId}, r.*, ${firstRevision(tenantId, Prisma.raw('r.id'))}
    FROM jsonb_to_recordset(${json(drafts)}::jsonb) AS ${CARD_RECORD}`);
}

async function updateCards(tx: Statements, tenantId: string, drafts: readonly CardDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  await tx.execute(Prisma.sql`
    UPDATE card c SET ${contentList(({ column }) => `${column} = r.${column}`)},
      question_key = r.question_key, question_bands = r.question_bands, revision = c.revision + 1, updated_at = now()
    FROM jsonb_to_recordset(${json(drafts)}::jsonb) AS ${CARD_RECORD}
    WHERE c.tenant_id = ${tenantId} AND c.id = r.id`);
}

function json(drafts: readonly CardDraft[]): string {
  return JSON.stringify(
    drafts.map(({ id, ownerId, content, fingerprints }) => ({
      id,
      owner_id: ownerId,
      ...contentRow(content),
      question_key: fingerprints.key,
      question_bands: fingerprints.bands,
    })),
  );
}

/** Those of one card may have 200 wrong solutions of 16 KB: Prisma takes some 60 ms for a statement of 3 MB. */
async function writeOccurrences(tx: Statements, tenantId: string, drafts: readonly CardDraft[]): Promise<void> {
  const rows = drafts.flatMap(({ id, occurrences }) =>
    occurrences.map((one, place) =>
      JSON.stringify({
        card_id: id,
        number: place + 1,
        occurred_at: one.occurredAt,
        wrong_solution: one.wrongSolution,
        error_types: one.errorTypes,
        origin: one.origin,
        merged_id: one.mergedId,
        merged: one.merged,
      }),
    ),
  );
  for (const slice of slicesOf(rows, ({ length }) => length, OCCURRENCES_CHARS)) {
    await insertOccurrences(tx, tenantId, `[${slice.join(',')}]`);
  }
}

async function insertOccurrences(tx: Statements, tenantId: string, rows: string): Promise<void> {
  await tx.execute(Prisma.sql`
    INSERT INTO card_occurrence AS o
      (tenant_id, card_id, number, occurred_at, wrong_solution, error_types, origin, merged_id, merged)
    SELECT ${tenantId}, r.* FROM jsonb_to_recordset(${rows}::jsonb) AS r (card_id text, number int,
      occurred_at timestamptz, wrong_solution text, error_types text[], origin text, merged_id text, merged jsonb)
    ON CONFLICT (tenant_id, card_id, number) DO UPDATE SET occurred_at = excluded.occurred_at,
      wrong_solution = excluded.wrong_solution, error_types = excluded.error_types, origin = excluded.origin,
      merged_id = excluded.merged_id, merged = excluded.merged`);
}
