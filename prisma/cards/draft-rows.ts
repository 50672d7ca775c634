import { batches } from '../../src/domain/async.js';
import type { Card } from '../../src/domain/card.js';
import { BadInputError } from '../../src/domain/errors.js';
import { contentChars } from '../../src/domain/occurrence.js';
import type { CardDraft, StoredCards, TracedOccurrence, WantedCards } from '../../src/domain/ports/imports.js';
import { changeableOwner, type Viewer, visibleOwner } from '../../src/domain/viewer.js';
import { questionKeys } from '../../src/text/duplicate-questions.js';
import { Prisma } from '../generated/client.js';
import { oneOf, type Statements, setLocally, type Transaction } from '../statements.js';
import { changeable, changeableBy, ownedBy, tenantOf } from '../viewer-conditions.js';
import { lockCards, selectCards } from './card-rows.js';
import { findOccurrences } from './occurrences.js';
import { selectFiles } from './uploaded-files.js';

/** Cards that one look-up finds by their bands: among more of them a duplicate is found only by chance. */
const MAX_NEAR = 2_000;
/** Cards read by one statement. */
const PAGE = 100;
/** Limit for the texts of all cards of one look-up, in UTF-16 units: all of them are in memory at once. */
const MAX_CHARS = 64_000_000;

/** The ids of cards that may be the wanted ones; the cards are read on behalf of the viewer: {@link selectView}. */
export interface ProposedIds {
  readonly ids: readonly string[];
  /** Wanted ids that no new card of the viewer may get, and whether the viewer may see, but not change, the card. */
  readonly taken: readonly { readonly id: string; readonly seen: boolean }[];
}

/**
 * Finds the cards with one of the ids, those that an occurrence with one of the origins or ids belongs to, and the
 * owner's with one of the keys or bands. Runs without row-level security; returns ids only. A new card must not get an
 * id that is taken by a card the viewer cannot see, or by one whose merge can be undone; and under a policy PostgreSQL
 * does not use the index of the bands, because their operator is not leakproof: it would compare every card of the
 * owner with every band.
 */
export async function proposedIds(tx: Transaction, viewer: Viewer, wanted: WantedCards): Promise<ProposedIds> {
  const ids = { in: [...wanted.ids] };
  const { card, cardMerge } = tx.prisma;
  const others = { ...tenantOf(viewer), NOT: changeableBy(viewer) };
  const cards = await card.findMany({ where: { ...others, id: ids }, select: { id: true } });
  // The merge of another owner's card needs its id, also if an admin imports the row.
  const merged = { ...tenantOf(viewer), NOT: ownedBy(viewer), fromId: ids };
  const merges = await cardMerge.findMany({ where: merged, select: { fromId: true } });
  const seen = visibleOwner(viewer) === undefined && changeableOwner(viewer) !== undefined;
  const taken = [...cards.map(({ id }) => id), ...merges.map(({ fromId }) => fromId)].map((id) => ({ id, seen }));
  return { ids: await wantedIds(tx, viewer, wanted), taken };
}

/** Those of the proposed cards that a viewer may change, locked until the transaction ends. */
export async function selectView(
  tx: Transaction,
  viewer: Viewer,
  { ids, taken, labels, files }: ProposedIds & Pick<StoredCards, 'labels'> & Pick<WantedCards, 'files'>,
): Promise<StoredCards> {
  await lockCards(tx, changeable(viewer), ids);
  return {
    cards: await selectDrafts(tx, viewer, ids),
    taken: new Set(taken.map(({ id }) => id)),
    foreign: new Set(taken.filter(({ seen }) => seen).map(({ id }) => id)),
    labels,
    files: await selectFiles(tx, viewer, files),
  };
}

/**
 * The ids of the wanted cards, each look-up by its own index. PostgreSQL expects an overlap with thousands of bands to
 * match every card, and would compare every card with every band. So the bands are looked up in a CTE, where no other
 * index serves, and sequential scans are disabled.
 */
async function wantedIds(tx: Statements, viewer: Viewer, wanted: WantedCards): Promise<readonly string[]> {
  const { tenantId, ownerId } = viewer;
  await setLocally(tx, [['enable_seqscan', 'off']]);
  const rows = await tx.query<{ id: string }>(Prisma.sql`
    WITH near AS MATERIALIZED (
      SELECT tenant_id, owner_id, id FROM card WHERE question_bands && ${wanted.bands}::int[])
    SELECT id FROM card WHERE tenant_id = ${tenantId} AND id = ANY(${wanted.ids}::text[])
    UNION SELECT id FROM card WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId}
      AND question_key = ANY(${wanted.keys}::text[])
    UNION (SELECT id FROM near WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId} ORDER BY id LIMIT ${MAX_NEAR})
    UNION SELECT card_id FROM card_occurrence WHERE tenant_id = ${tenantId} AND origin = ANY(${wanted.origins}::text[])
    UNION SELECT card_id FROM card_occurrence WHERE tenant_id = ${tenantId} AND merged_id = ANY(${wanted.ids}::text[])`);
  await setLocally(tx, [['enable_seqscan', 'on']]);
  return rows.map(({ id }) => id);
}

/**
 * The cards among `ids` that the viewer may change with their occurrences, by id. BadInputError if their texts are
 * too long.
 */
export async function selectDrafts(
  tx: Transaction,
  viewer: Viewer,
  ids: readonly string[],
): Promise<readonly CardDraft[]> {
  const drafts: CardDraft[] = [];
  let chars = 0;
  for (const page of batches([...ids].sort(), PAGE)) {
    const where = [changeable(viewer), oneOf('c.id')(page)];
    const cards = await selectCards<FingerprintedCard>(tx, { where, limit: page.length, columns: FINGERPRINTS });
    const occurrences = await findOccurrences(tx, viewer.tenantId, page);
    for (const card of cards) {
      const draft = draftOf(card, occurrences.get(card.id) ?? []);
      chars += contentChars(draft);
      if (chars > MAX_CHARS) throw new BadInputError('rows', `are about cards with more than ${MAX_CHARS} characters`);
      drafts.push(draft);
    }
  }
  return drafts;
}

interface FingerprintedCard extends Card {
  /** Null: the fingerprints were never computed. */
  readonly key: string | null;
  readonly bands: readonly number[];
}

const FINGERPRINTS = Prisma.raw(', c.question_key AS key, c.question_bands AS bands');

/** Takes the stored fingerprints: computing those of 500 cards takes a tenth of a second. */
function draftOf({ key, bands, ...card }: FingerprintedCard, occurrences: readonly TracedOccurrence[]): CardDraft {
  const { id, ownerId, tenantId: _, revision: _r, occurrences: _o, createdAt: _c, updatedAt: _u, ...content } = card;
  const fingerprints = key === null ? questionKeys(card, content).fingerprints : { key, bands };
  return { id, ownerId, content, fingerprints, occurrences, state: 'STORED' };
}
