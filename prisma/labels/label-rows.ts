import { type Label, labelKey, MAX_CHILDREN } from '../../src/domain/labels.js';
import { type CountedPage, listCursor, type Place, placeInList } from '../../src/domain/page.js';
import type { LabelQuery } from '../../src/domain/ports/labels.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import type { Queries } from '../statements.js';
import { ofTenant, visible } from '../viewer-conditions.js';
import { LABEL_TABLES } from './labels.js';

type LabelRow = Omit<Label, 'kind'> & { readonly key: string | null; readonly total: number };

interface Wanted extends Omit<LabelQuery, 'names'> {
  /** Only labels with one of these names or aliases; null: all. */
  readonly names: readonly string[] | null;
  /** Only the label with this id; null: all. */
  readonly id: bigint | null;
  /** Keys after this one. */
  readonly after: string;
  readonly limit: number;
}

/**
 * A page of labels with their numbers of visible cards, and the total number of labels. SQL: counts and page in one
 * statement. Labels without visible cards are included if they have aliases or a place in the tree.
 */
export async function selectLabels(
  queries: Queries,
  viewer: Viewer,
  { kind, id, prefix, parent, names, after, limit }: Wanted,
): Promise<{ readonly labels: readonly (Label & { readonly key: string })[]; readonly total: number }> {
  const { label, join, labelId } = LABEL_TABLES[kind];
  const [start, above] = [prefix, parent].map((name) => (name === null ? null : labelKey(name)));
  const keys = names?.map(labelKey) ?? null;
  const rows = await queries.query<LabelRow>(Prisma.sql`
    WITH counted AS (
      SELECT t.id, t.key, t.name, t.aliases, t.parent_id, count(c.id)::int AS "cardCount"
      FROM ${label} t
        LEFT JOIN ${join} l ON l.tenant_id = t.tenant_id AND l.${labelId} = t.id
        LEFT JOIN card c ON c.tenant_id = l.tenant_id AND c.id = l.card_id AND ${visible(viewer)}
      WHERE ${ofTenant(viewer, 't')} AND (${id}::bigint IS NULL OR t.id = ${id})
        AND (${start}::text IS NULL OR starts_with(t.key, ${start})
          OR EXISTS (SELECT FROM unnest(t.alias_keys) AS a (key) WHERE starts_with(a.key, ${start})))
        AND (${above}::text IS NULL OR t.parent_id = (SELECT p.id FROM ${label} p
          WHERE ${ofTenant(viewer, 'p')} AND (p.key = ${above} OR p.alias_keys @> ARRAY[${above}]::text[])
          ORDER BY p.key = ${above} DESC LIMIT 1))
        AND (${keys}::text[] IS NULL OR t.key = ANY(${keys}::text[]) OR t.alias_keys && ${keys}::text[])
      GROUP BY t.tenant_id, t.id
    ), shown AS (
      SELECT t.*, ARRAY(SELECT n.name FROM ${label} n WHERE ${ofTenant(viewer, 'n')} AND n.parent_id = t.id
        ORDER BY n.key LIMIT ${MAX_CHILDREN}) AS children,
        (SELECT p.name FROM ${label} p WHERE ${ofTenant(viewer, 'p')} AND p.id = t.parent_id) AS parent
      FROM counted t
    ), found AS (
      SELECT * FROM shown
      WHERE ${id}::bigint IS NOT NULL OR "cardCount" > 0 OR aliases <> '{}' OR parent IS NOT NULL OR children <> '{}'
    )
    SELECT total.count AS total, f.key, f.name, f.aliases, f.parent, f.children, f."cardCount"
    FROM (SELECT count(*)::int AS count FROM found) total
      LEFT JOIN LATERAL (SELECT * FROM found WHERE key > ${after} ORDER BY key LIMIT ${limit}) f ON true
    ORDER BY f.key`);
  const labels = rows.flatMap(({ total: _, key, ...found }) => (key === null ? [] : [{ kind, key, ...found }]));
  return { labels, total: rows[0]?.total ?? 0 };
}

/** The key in a cursor; '' for the start. BadInputError (`after`) for one of another list. */
export function keyOfCursor(cursor: string | null, list: string): string {
  if (cursor === null) return '';
  const isPlace = (values: Place): values is readonly [string] => values.length === 1 && typeof values[0] === 'string';
  return placeInList(cursor, isPlace, list)[0];
}

export function pageOf(
  list: string,
  first: number,
  { labels, total }: Awaited<ReturnType<typeof selectLabels>>,
): CountedPage<Label> {
  return {
    edges: labels.slice(0, first).map(({ key, ...label }) => ({ cursor: listCursor([key], list), node: label })),
    hasNextPage: labels.length > first,
    totalCount: total,
  };
}
