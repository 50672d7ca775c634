import type { CardFilterStore, FilterMatch, MatchingCards } from '../src/domain/ports/cards.js';
import type { CardFilter } from '../src/domain/search.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { LABEL_TABLES, type LabelKind } from './labels.js';
import { visible } from './viewer-conditions.js';

type FilterValues = Required<CardFilter>;
type Conditions = { readonly [Key in keyof FilterValues]: (value: FilterValues[Key]) => Prisma.Sql };

const compare = (left: string) => (value: number | Date) => Prisma.sql`${Prisma.raw(left)} ${value}`;
const oneOf = (column: string) => (values: readonly string[]) =>
  Prisma.sql`${Prisma.raw(column)} = ANY(${values}::text[])`;
const hasLabel = (kind: LabelKind) => (names: readonly string[]) => {
  const { label, tie, labelId } = LABEL_TABLES[kind];
  return Prisma.sql`EXISTS (
    SELECT FROM ${tie} l JOIN ${label} t ON t.tenant_id = l.tenant_id AND t.id = l.${labelId}
    WHERE l.tenant_id = c.tenant_id AND l.card_id = c.id AND t.name = ANY(${names}::text[]))`;
};

/** The condition on `card c` of each key of a filter. Lists are one parameter each, whatever their length. */
const CONDITIONS: Conditions = {
  grade: oneOf('c.grade'),
  subject: oneOf('c.subject'),
  difficultyMin: compare('c.difficulty >='),
  difficultyMax: compare('c.difficulty <='),
  topicTags: hasLabel('topicTags'),
  errorTypes: hasLabel('errorTypes'),
  qualityGrade: oneOf('c.quality_grade'),
  occurredAfter: compare('c.occurred_at >='),
  occurredBefore: compare('c.occurred_at <'),
  excludeCardIds: (ids) => Prisma.sql`c.id <> ALL(${ids}::text[])`,
};

/** The condition on `card c` that the viewer may see the card and the filter matches it. */
export function admits(viewer: Viewer, filter: CardFilter): Prisma.Sql {
  const keys = Object.keys(CONDITIONS) as (keyof CardFilter)[];
  return Prisma.join([visible(viewer), ...keys.flatMap((key) => condition(filter, key))], ' AND ');
}

function condition<Key extends keyof FilterValues>(filter: Partial<FilterValues>, key: Key): Prisma.Sql[] {
  const value = filter[key];
  return value === undefined ? [] : [CONDITIONS[key](value)];
}

/**
 * The indexed revision of `card c` in one generation, as `i`. The LIMIT keeps it a look-up by primary key for each card: while
 * cards are being imported PostgreSQL has no statistics of them, and joined the two tables in 170 ms instead of 2.
 */
function indexedIn(tenantId: string, generation: number): Prisma.Sql {
  return Prisma.sql`CROSS JOIN LATERAL (
    SELECT revision FROM card_index
    WHERE tenant_id = ${tenantId} AND generation = ${generation} AND card_id = c.id LIMIT 1) i`;
}

interface Found {
  readonly ids: string[] | null;
  readonly revisions: number[] | null;
}

/** Cards a row: the driver reads a row at once, a thousand cards in some ms. */
const BLOCK = 1_000;

/** Ids and revisions are two arrays of one row: the driver takes several times as long for 2,000 rows. */
function admitted({ ids, revisions }: Found): MatchingCards {
  return new Map((ids ?? []).map((id, index) => [id, (revisions as number[])[index] as number]));
}

/** SQL: every filtered search waits for it. */
export class PostgresCardFilterStore implements CardFilterStore {
  constructor(private readonly database: Database) {}

  /** One statement, so that its figures are of one moment; ids are read only where few enough cards match. */
  async matching(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<FilterMatch> {
    const rows = await this.database.as(viewer, signal).query<Found & { matched: number }>(Prisma.sql`
      WITH matched AS MATERIALIZED (SELECT c.id FROM card c WHERE ${admits(viewer, filter)}),
      size AS MATERIALIZED (SELECT count(*)::int AS matched FROM matched),
      indexed AS MATERIALIZED (
        SELECT c.id, i.revision FROM matched c ${indexedIn(viewer.tenantId, generation)}
        WHERE (SELECT matched FROM size) <= ${limit})
      SELECT size.matched, block.ids, block.revisions FROM size LEFT JOIN (
        SELECT array_agg(id) AS ids, array_agg(revision) AS revisions
        FROM (SELECT id, revision, (row_number() OVER ()) / ${BLOCK} AS block FROM indexed) numbered
        GROUP BY block) block ON true`);
    const [first] = rows;
    if (first === undefined) throw new Error('counting the matches gave no row');
    const { matched } = first;
    return { matched, all: matched > limit ? null : new Map(rows.flatMap((row) => [...admitted(row)])) };
  }

  async admit(
    viewer: Viewer,
    filter: CardFilter,
    generation: number,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<MatchingCards> {
    const [row] = await this.database.as(viewer, signal).query<Found>(Prisma.sql`
      SELECT array_agg(c.id) AS ids, array_agg(i.revision) AS revisions
      FROM card c ${indexedIn(viewer.tenantId, generation)}
      WHERE ${admits(viewer, filter)} AND c.id = ANY(${ids}::text[])`);
    if (row === undefined) throw new Error('an aggregate gave no row');
    return admitted(row);
  }
}
