import type { Owner } from '../src/domain/duplicates.js';
import { BadInputError } from '../src/domain/errors.js';
import { type Occurrence, tellingChars } from '../src/domain/occurrence.js';
import type {
  CardDraft,
  NotebookView,
  QuestionJudge,
  TracedOccurrence,
  WantedCards,
} from '../src/domain/ports/notebooks.js';
import type { Viewer } from '../src/domain/viewer.js';
import { type PrintedCard, selectPrintedCards } from './card-rows.js';
import { Prisma } from './generated/client.js';
import type { Statements } from './statements.js';
import { changeable, visible } from './visible.js';

/** Cards that one look-up brings up by their bands: among more of them a double is found by chance alone. */
const MAX_NEAR = 2_000;
/** Cards a statement. */
const PAGE = 100;
/** What all cards of one look-up may say, in UTF-16 units; all of it is in memory at once. */
const MAX_CHARS = 64_000_000;

type OccurrenceRow = Occurrence & TracedOccurrence & { readonly cardId: string };

/** Ids by which the wanted cards may be found. What the cards say is read on behalf of the viewer: {@link selectView}. */
export interface ProposedIds {
  readonly ids: readonly string[];
  /** Of the wanted ids those of cards that the viewer may not change, and whether the viewer may see the card. */
  readonly taken: readonly { readonly id: string; readonly seen: boolean }[];
}

/**
 * Names the cards with one of the ids, those that an occurrence with one of the origins or ids belongs to, and the owner's with
 * one of the keys or bands. It runs without row-level security and returns ids only. That an id is taken must be known to whoever
 * would give it to a card; and behind a policy PostgreSQL finds no bands by their index, because their operator might tell of
 * rows that the policy hides (it is not leakproof): it would compare every card of the owner with every band.
 */
export async function proposedIds(tx: Statements, viewer: Viewer, wanted: WantedCards): Promise<ProposedIds> {
  const taken = await tx.query<{ id: string; seen: boolean }>(Prisma.sql`
    SELECT c.id, ${visible(viewer)} AS seen FROM card c
    WHERE c.tenant_id = ${viewer.tenantId} AND c.id = ANY(${wanted.ids}::text[]) AND NOT (${changeable(viewer)})`);
  return { ids: await wantedIds(tx, viewer, wanted), taken };
}

/** Those of the proposed cards that a viewer may change, locked until the transaction ends. */
export async function selectView(
  tx: Statements,
  viewer: Viewer,
  { ids, taken }: ProposedIds,
  judge: QuestionJudge,
): Promise<NotebookView> {
  await tx.execute(Prisma.sql`
    SELECT FROM card c WHERE ${changeable(viewer)} AND c.id = ANY(${ids}::text[]) ORDER BY c.id FOR UPDATE`);
  return {
    cards: await selectDrafts(tx, viewer, ids, judge),
    taken: new Set(taken.map(({ id }) => id)),
    foreign: new Set(taken.filter(({ seen }) => seen).map(({ id }) => id)),
  };
}

/**
 * The ids of the wanted cards, each look-up by the index that was made for it. PostgreSQL takes an overlap with thousands of bands
 * for one that every card has, and would compare every card with every band. So the bands stand alone, where no other index
 * serves, and reading the table in its own order is put out of the question.
 */
async function wantedIds(tx: Statements, viewer: Viewer, wanted: WantedCards): Promise<readonly string[]> {
  const { tenantId, ownerId } = viewer;
  await tx.execute(Prisma.sql`SET LOCAL enable_seqscan = off`);
  const rows = await tx.query<{ id: string }>(Prisma.sql`
    WITH near AS MATERIALIZED (
      SELECT tenant_id, owner_id, id FROM card WHERE question_bands && ${wanted.bands}::int[])
    SELECT id FROM card WHERE tenant_id = ${tenantId} AND id = ANY(${wanted.ids}::text[])
    UNION SELECT id FROM card WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId}
      AND question_key = ANY(${wanted.keys}::text[])
    UNION (SELECT id FROM near WHERE tenant_id = ${tenantId} AND owner_id = ${ownerId} ORDER BY id LIMIT ${MAX_NEAR})
    UNION SELECT card_id FROM card_occurrence WHERE tenant_id = ${tenantId} AND origin = ANY(${wanted.origins}::text[])
    UNION SELECT card_id FROM card_occurrence WHERE tenant_id = ${tenantId} AND merged_id = ANY(${wanted.ids}::text[])`);
  await tx.execute(Prisma.sql`SET LOCAL enable_seqscan = on`);
  return rows.map(({ id }) => id);
}

/** The cards among `ids` that the viewer may change with their occurrences, in the order of their ids. BadInputError where these say too much. */
export async function selectDrafts(
  tx: Statements,
  viewer: Viewer,
  ids: readonly string[],
  judge: QuestionJudge,
): Promise<readonly CardDraft[]> {
  const drafts: CardDraft[] = [];
  let chars = 0;
  const sorted = [...ids].sort();
  for (let at = 0; at < sorted.length; at += PAGE) {
    const page = sorted.slice(at, at + PAGE);
    const named = Prisma.sql`c.id = ANY(${page}::text[]) ORDER BY c.id`;
    const cards = await selectPrintedCards(tx, Prisma.sql`${changeable(viewer)} AND ${named}`);
    const occurrences = await selectOccurrences(tx, viewer.tenantId, page);
    for (const printed of cards) {
      const draft = draftOf(printed, occurrences.get(printed.card.id) ?? [], judge);
      chars += tellingChars(draft.content, draft.occurrences);
      if (chars > MAX_CHARS) throw new BadInputError('rows', `are about cards with more than ${MAX_CHARS} characters`);
      drafts.push(draft);
    }
  }
  return drafts;
}

/** The stored prints are taken: computing those of 500 cards takes a tenth of a second. */
function draftOf(
  { card, key, bands }: PrintedCard,
  occurrences: readonly TracedOccurrence[],
  judge: QuestionJudge,
): CardDraft {
  const { id, ownerId, tenantId: _, revision: _r, occurrences: _o, createdAt: _c, updatedAt: _u, ...content } = card;
  const prints = key === null ? fingerprintsOf(judge, card, content.questionText) : { key, bands };
  return { id, ownerId, content, prints, occurrences, state: 'STORED' };
}

/** The prints of an owner's question. */
export function fingerprintsOf(judge: QuestionJudge, owner: Owner, question: string): CardDraft['prints'] {
  return judge.prints(owner, question, judge.canonical(question));
}

/** The occurrences of cards, by card id, in order. */
export async function selectOccurrences(
  statements: Statements,
  tenantId: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, readonly (Occurrence & TracedOccurrence)[]>> {
  const rows = await statements.query<OccurrenceRow>(Prisma.sql`
    SELECT card_id AS "cardId", number, occurred_at AS "occurredAt", wrong_solution AS "wrongSolution",
      error_types AS "errorTypes", merged_id AS "mergedId", merged, origin
    FROM card_occurrence WHERE tenant_id = ${tenantId} AND card_id = ANY(${cardIds}::text[]) ORDER BY card_id, number`);
  const byCard = new Map<string, (Occurrence & TracedOccurrence)[]>();
  for (const { cardId, ...occurrence } of rows) {
    const list = byCard.get(cardId);
    if (list === undefined) byCard.set(cardId, [occurrence]);
    else list.push(occurrence);
  }
  return byCard;
}
