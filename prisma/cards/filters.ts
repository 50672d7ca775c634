import type { Card } from '../../src/domain/card.js';
import { type LabelKind, labelKey } from '../../src/domain/labels.js';
import { HAN } from '../../src/domain/language.js';
import type { CardFilterStore, MatchingCard } from '../../src/domain/ports/cards.js';
import type { CardFilter } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { LABEL_TABLES } from '../labels/labels.js';
import { compare, oneOf } from '../statements.js';
import { visible } from '../viewer-conditions.js';
import { CARD_COLUMNS } from './card-rows.js';
import { survivorsOf } from './merged-cards.js';

/** `updatedAfter` is an argument of the list of cards. */
export type ListFilter = CardFilter & { readonly updatedAfter?: Date | undefined };
type FilterValues = Required<{ [Key in keyof ListFilter]: NonNullable<ListFilter[Key]> }>;
type Conditions = { readonly [Key in keyof FilterValues]: (value: FilterValues[Key], viewer: Viewer) => Prisma.Sql };

/** Of each kind. PostgreSQL plans the joins of 5 labels in 2 ms, of 20 in 94 ms, of 50 in over 10 s (by hand). */
const JOINED_LABELS = 4;
/** PostgreSQL does not turn an EXISTS with an offset into a join, but checks it for each card. */
const NOT_JOINED = Prisma.raw('OFFSET 0');

/** A label by its name or an alias, or one below it in the tree. */
const hasLabel =
  (kind: LabelKind) =>
  (names: readonly string[], { tenantId }: Viewer, offset = Prisma.empty) => {
    const { label, join, labelId } = LABEL_TABLES[kind];
    const keys = names.map(labelKey);
    return Prisma.sql`EXISTS (
      SELECT FROM ${join} l WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id AND l.${labelId} = ANY(ARRAY(
        WITH RECURSIVE meant AS (
          SELECT id FROM ${label} WHERE tenant_id = ${tenantId}
            AND (key = ANY(${keys}::text[]) OR (alias_keys <> '{}' AND alias_keys && ${keys}::text[]))
          UNION SELECT t.id FROM meant m JOIN ${label} t ON t.tenant_id = ${tenantId} AND t.parent_id = m.id)
        SELECT id FROM meant)) ${offset})`;
  };
const hasAll = (kind: LabelKind) => (names: readonly string[], viewer: Viewer) =>
  Prisma.join(
    names.map((name, place) => hasLabel(kind)([name], viewer, place < JOINED_LABELS ? Prisma.empty : NOT_JOINED)),
    ' AND ',
  );

/** The condition on `card c` of each key of a filter. Lists are one parameter each, whatever their length. */
const CONDITIONS: Conditions = {
  grade: oneOf('c.grade'),
  subject: oneOf('c.subject'),
  difficultyMin: compare('c.difficulty >='),
  difficultyMax: compare('c.difficulty <='),
  topicTags: hasLabel('topicTags'),
  errorTypes: hasLabel('errorTypes'),
  allTopicTags: hasAll('topicTags'),
  allErrorTypes: hasAll('errorTypes'),
  qualityGrade: oneOf('c.quality_grade'),
  owners: oneOf('c.owner_id'),
  sources: oneOf('c.source'),
  languages: (languages) =>
    compare(`(c.question_text ~ '[${HAN}]') = ANY(`, '::boolean[])')(languages.map((language) => language === 'zh')),
  hasSolution: compare('(c.gold_solution_brief IS NOT NULL) ='),
  unlabelled: compare(`(EXISTS (
    SELECT FROM card_topic_tag l WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id) OR EXISTS (
    SELECT FROM card_error_type l WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id)) <>`),
  occurredAfter: compare('c.occurred_at >='),
  occurredBefore: compare('c.occurred_at <'),
  metadata: (entries) => compare('c.metadata @>', '::jsonb')(JSON.stringify(entries)),
  excludeCardIds: (ids, viewer) => Prisma.sql`${compare('c.id <> ALL(', '::text[])')(ids)}
    AND c.id <> ALL(ARRAY(${survivorsOf(viewer, ids)}))`,
  updatedAfter: compare('c.updated_at >='),
};

/** The condition on `card c` that the viewer may see the card and the filter matches it. */
export function matches(viewer: Viewer, filter: ListFilter): Prisma.Sql {
  const keys = Object.keys(CONDITIONS) as (keyof ListFilter)[];
  return Prisma.join([visible(viewer), ...keys.flatMap((key) => condition(filter, key, viewer))], ' AND ');
}

function condition<Key extends keyof FilterValues>(filter: ListFilter, key: Key, viewer: Viewer): Prisma.Sql[] {
  const value = filter[key] as FilterValues[Key] | undefined;
  return value === undefined ? [] : [CONDITIONS[key](value, viewer)];
}

export class PostgresCardFilterStore implements CardFilterStore {
  constructor(private readonly database: Database) {}

  /**
   * The LIMIT makes this a primary key look-up for each card: during an import PostgreSQL has no statistics of the new
   * cards, and its join of the two tables took 170 ms instead of 2.
   */
  async matching(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, MatchingCard>> {
    const rows = await this.database.as(viewer, signal).prepared<Card & { indexedRevision: number }>(Prisma.sql`
      SELECT ${CARD_COLUMNS}, i.revision AS "indexedRevision"
      FROM card c CROSS JOIN LATERAL (
        SELECT revision FROM card_index
        WHERE tenant_id = ${viewer.tenantId} AND generation = ${generation} AND card_id = c.id LIMIT 1) i
      WHERE ${matches(viewer, filter)} AND c.id = ANY(${ids}::text[])`);
    return new Map(rows.map(({ indexedRevision, ...card }) => [card.id, { card, indexedRevision }]));
  }
}
