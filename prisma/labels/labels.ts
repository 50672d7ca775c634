import { batches } from '../../src/domain/async.js';
import type { CardChange } from '../../src/domain/card.js';
import { BadInputError } from '../../src/domain/errors.js';
import { slicesOf } from '../../src/domain/grouped.js';
import {
  LABEL_KINDS,
  type LabelKind,
  LabelSpelling,
  type LabelSpellings,
  labelKey,
  MAX_OWN_LABELS,
} from '../../src/domain/labels.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { collision } from '../errors.js';
import { Prisma } from '../generated/client.js';
import { lock, only, type Queries, type Transaction } from '../statements.js';
import { labelTable } from './label-tables.js';

/** For each kind: the table of labels, its join table with cards (`join`), and the label's column there. */
export const LABEL_TABLES: Readonly<Record<LabelKind, { label: Prisma.Sql; join: Prisma.Sql; labelId: Prisma.Sql }>> = {
  topicTags: {
    label: Prisma.raw('topic_tag'),
    join: Prisma.raw('card_topic_tag'),
    labelId: Prisma.raw('topic_tag_id'),
  },
  errorTypes: {
    label: Prisma.raw('error_type'),
    join: Prisma.raw('card_error_type'),
    labelId: Prisma.raw('error_type_id'),
  },
};

/** Labels of a card, in the client's order. A missing kind is not changed. */
export interface CardLabels extends Partial<Readonly<Record<LabelKind, readonly string[] | undefined>>> {
  readonly id: string;
}

/**
 * Labels of a statement. For each, Prisma takes some 10 µs of the event loop, and PostgreSQL compares those that it
 * created with the names of all.
 */
const LABELS_A_TIME = 2_000;

/** The names of the tenant's labels with one of these names or aliases, whatever their spelling. */
export async function storedNames(
  queries: Queries,
  tenantId: string,
  cards: readonly Omit<CardLabels, 'id'>[],
): Promise<LabelSpellings> {
  return (await lookUp(queries, tenantId, cards)).found;
}

/** One statement for both kinds, unless they are very many. `isComplete`: there are labels with all of these names. */
async function lookUp(
  queries: Queries,
  tenantId: string,
  cards: readonly Omit<CardLabels, 'id'>[],
): Promise<{ readonly found: LabelSpellings; readonly isComplete: boolean }> {
  const found: Record<LabelKind, Map<string, string>> = { topicTags: new Map(), errorTypes: new Map() };
  let isComplete = true;
  const given = LABEL_KINDS.flatMap((kind) =>
    [...new Set(cards.flatMap(({ [kind]: names }) => names ?? []))].map((name) => ({ kind, name })),
  );
  for (const some of batches(given, LABELS_A_TIME)) {
    const asked = LABEL_KINDS.map((kind) => ({
      kind,
      keys: [...new Set(some.flatMap((one) => (one.kind === kind ? [labelKey(one.name)] : [])))],
    })).filter(({ keys }) => keys.length > 0);
    const parts = asked.map(({ kind, keys }) => {
      const { label } = LABEL_TABLES[kind];
      return Prisma.sql`SELECT ${kind}::text AS kind, key, name, key AS named FROM ${label}
        WHERE tenant_id = ${tenantId} AND key = ANY(${keys}::text[])
      UNION ALL SELECT ${kind}::text, a.key, l.name, l.key FROM ${label} l CROSS JOIN unnest(l.alias_keys) AS a (key)
        WHERE l.tenant_id = ${tenantId} AND l.alias_keys <> '{}' AND a.key = ANY(${keys}::text[])`;
    });
    const rows = await queries.query<{ kind: LabelKind; key: string; name: string; named: string }>(
      Prisma.join(parts, ' UNION ALL '),
    );
    // A label's own name is preferred to another label's alias; earlier versions could write both concurrently.
    for (const { kind, key, name, named } of rows) {
      if (named === key || !found[kind].has(key)) found[kind].set(key, name);
    }
    isComplete &&= asked.every(({ kind, keys }) => keys.every((key) => found[kind].has(key)));
  }
  return { found, isComplete };
}

export async function removeLabels(
  { prisma }: Transaction,
  kind: LabelKind,
  tenantId: string,
  cardIds: readonly string[],
): Promise<void> {
  const where = { tenantId, cardId: { in: [...cardIds] } };
  if (kind === 'topicTags') await prisma.cardTopicTag.deleteMany({ where });
  else await prisma.cardErrorType.deleteMany({ where });
}

/**
 * Before the first lock of a card or a label. Until the transaction ends, no other one renames, merges or sets labels
 * of the tenant; `_shared`: nor does this one, and others may have the lock too. Cards may still get new labels.
 */
export async function lockLabels(tx: Queries, tenantId: string, mode: '' | '_shared' = ''): Promise<void> {
  await lock(tx, [lockName(tenantId)], mode);
}

function lockName(tenantId: string): string {
  return JSON.stringify(['labels', tenantId]);
}

/**
 * As `storedNames`, for a transaction that writes these labels and has locked no card yet. If it may create one, it
 * waits for changes of labels now: later a change could wait for its cards or its new labels.
 */
export async function namesToWrite(
  tx: Queries,
  tenantId: string,
  labels: Omit<CardLabels, 'id'>,
): Promise<LabelSpellings> {
  const { found, isComplete } = await lookUp(tx, tenantId, [labels]);
  if (isComplete) return found;
  await lockLabels(tx, tenantId, '_shared');
  return storedNames(tx, tenantId, [labels]);
}

/**
 * Adds labels to cards without labels of these kinds, and creates unknown labels. One statement for many cards, where
 * Prisma needs three for each kind. BadInputError (the kind) if an owner would have too many.
 */
export async function addLabels(tx: Transaction, tenantId: string, cards: readonly CardLabels[]): Promise<void> {
  const labelsOf = ({ topicTags = [], errorTypes = [] }: CardLabels): number => topicTags.length + errorTypes.length;
  for (const some of slicesOf(cards, labelsOf, LABELS_A_TIME)) await addSome(tx, tenantId, some);
}

async function addSome(tx: Transaction, tenantId: string, cards: readonly CardLabels[]): Promise<void> {
  const steps = LABEL_KINDS.flatMap((kind) => {
    const rows = cards.flatMap(({ id, [kind]: names }) =>
      (names ?? []).map((name, place) => ({ card_id: id, name, key: labelKey(name), position: place + 1 })),
    );
    return rows.length === 0 ? [] : [{ kind, step: additions(kind, tenantId, rows) }];
  });
  if (steps.length === 0) return;
  const names = steps.map(
    ({ kind }) => Prisma.sql`SELECT ${kind}::text AS kind, key, is_other, EXISTS (
      SELECT FROM ${LABEL_TABLES[kind].label} WHERE tenant_id = ${tenantId} OFFSET ${MAX_OWN_LABELS - LABELS_A_TIME}) AS are_many
      FROM ${Prisma.raw(`written_${kind}`)}`,
  );
  const written = await tx.query<{ kind: LabelKind; key: string; is_other: boolean; are_many: boolean }>(
    Prisma.sql`WITH ${Prisma.join(steps.map(({ step }) => step))} ${Prisma.join(names, ' UNION ALL ')}`,
  );
  if (written.some(({ is_other }) => is_other)) throw otherSpelling();
  if (written.length > 0) await refuseAliases(tx, tenantId, written);
  const many = new Set(written.filter(({ are_many }) => are_many).map(({ kind }) => kind));
  for (const kind of many) await refuseTooMany(tx, tenantId, kind, cards);
}

/** Only in a tenant that may have more labels than one owner: in the others it cannot happen. */
async function refuseTooMany(
  tx: Transaction,
  tenantId: string,
  kind: LabelKind,
  cards: readonly CardLabels[],
): Promise<void> {
  const where = { tenantId, id: { in: cards.map(({ id }) => id) } };
  const owners = await tx.prisma.card.groupBy({ by: ['ownerId'], where });
  for (const { ownerId } of owners) {
    if ((await labelTable(tx, { tenantId }, kind).countOf(ownerId)) <= MAX_OWN_LABELS) continue;
    throw new BadInputError(
      kind,
      `the owner's cards would have more than ${MAX_OWN_LABELS} ${kind}: use existing ones`,
    );
  }
}

/** Repeats the transaction: card and occurrences were prepared with a spelling that is no longer the stored one. */
function otherSpelling(): Error {
  return collision(new Error('another transaction has given a label another spelling'));
}

/**
 * A collision if another transaction has made one of the new labels an alias since its name was looked up, or may be
 * doing so. It must not be waited for: it could wait for this one. The repeated transaction looks the names up again.
 */
async function refuseAliases(
  tx: Transaction,
  tenantId: string,
  created: readonly { readonly kind: LabelKind; readonly key: string }[],
): Promise<void> {
  const rows = await tx.query<{ locked: boolean }>(Prisma.sql`
    SELECT pg_try_advisory_xact_lock_shared(hashtextextended(${lockName(tenantId)}, 0)) AS locked`);
  if (!only(rows).locked) throw collision(new Error('a label was created during a change of labels'));
  for (const kind of LABEL_KINDS) {
    const keys = created.filter((label) => label.kind === kind).map(({ key }) => key);
    const taken = keys.length === 0 ? null : await labelTable(tx, { tenantId }, kind).byAlias(keys);
    if (taken !== null) throw collision(new Error(`a new label of ${kind} is an alias by now`));
  }
}

interface LabelRow {
  readonly card_id: string;
  readonly name: string;
  readonly key: string;
  readonly position: number;
}

/**
 * `written_KIND`: the labels that it created, and those whose name `is_other` than the given one, because another
 * transaction has created or renamed them since their names were looked up. Existing labels are only read: updating
 * them would make concurrent creates with a popular error type wait for each other. New labels are created in the same
 * order in all transactions, to avoid deadlocks; if another transaction was first, the update without effect returns
 * the id. It changes no key column, which would need a lock that waits for all cards to which the label is being added.
 */
function additions(kind: LabelKind, tenantId: string, rows: readonly LabelRow[]): Prisma.Sql {
  const { label, join, labelId } = LABEL_TABLES[kind];
  const known = Prisma.raw(`known_${kind}`);
  const created = Prisma.raw(`created_${kind}`);
  const added = Prisma.raw(`added_${kind}`);
  const written = Prisma.raw(`written_${kind}`);
  const names = new Map(rows.map(({ key, name }) => [key, name]));
  // A card that was read after the names were looked up may have the spelling of another transaction.
  if (rows.some(({ key, name }) => names.get(key) !== name)) throw otherSpelling();
  const keys = [...names.keys()];
  return Prisma.sql`${known} AS (
      SELECT id, key, name FROM ${label} WHERE tenant_id = ${tenantId} AND key = ANY(${keys}::text[])
    ), ${created} AS (
      INSERT INTO ${label} AS l (tenant_id, key, name)
      SELECT ${tenantId}, key, name FROM unnest(${keys}::text[], ${[...names.values()]}::text[]) AS given (key, name)
      WHERE key NOT IN (SELECT key FROM ${known}) ORDER BY key
      ON CONFLICT (tenant_id, key) DO UPDATE SET created_at = l.created_at
      RETURNING id, key, name
    ), ${written} AS (
      SELECT key, name <> ALL(${[...names.values()]}::text[]) AS is_other FROM ${created}
      UNION ALL SELECT key, true FROM ${known} WHERE name <> ALL(${[...names.values()]}::text[])
    ), ${added} AS (
      INSERT INTO ${join} (tenant_id, card_id, ${labelId}, position)
      SELECT ${tenantId}, w.card_id, l.id, w.position
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS w (card_id text, key text, position int)
      JOIN (SELECT * FROM ${known} UNION ALL SELECT * FROM ${created}) l ON l.key = w.key)`;
}

/** The content, or a change of it, with labels in the tenant's spelling: {@link namesToWrite}. */
export async function withStoredNames<T extends CardChange>(tx: Queries, { tenantId }: Viewer, given: T): Promise<T> {
  const spelling = new LabelSpelling(await namesToWrite(tx, tenantId, given));
  const labels = LABEL_KINDS.flatMap((kind) => {
    const names = given[kind];
    return names === undefined ? [] : [[kind, spelling.of(kind, names)]];
  });
  return { ...given, ...Object.fromEntries(labels) };
}
