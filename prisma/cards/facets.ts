import { type CardFacets, type FacetCount, MAX_FACET_VALUES } from '../../src/domain/ports/cards.js';
import type { CardFilter } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import type { Queries } from '../statements.js';
import { matches } from './filters.js';

type Facet = 'subject' | 'grade' | 'difficulty' | 'topicTag' | 'errorType';

interface FacetRow extends FacetCount {
  readonly facet: Facet | 'total';
  /** Values of the facet. */
  readonly size: number;
}

/** Counts the matching cards by every facet. SQL: six groupings over one reading of the cards. */
export async function countFacets(queries: Queries, viewer: Viewer, filter: CardFilter): Promise<CardFacets> {
  const rows = await queries.query<FacetRow>(Prisma.sql`
    WITH matched AS MATERIALIZED (
      SELECT c.tenant_id, c.id, c.subject, c.grade, c.difficulty FROM card c WHERE ${matches(viewer, filter)}
    ), counted AS (
      SELECT 'total' AS facet, '' AS value, count(*)::int AS count FROM matched
      UNION ALL SELECT 'subject', subject, count(*)::int FROM matched GROUP BY subject
      UNION ALL SELECT 'grade', grade, count(*)::int FROM matched WHERE grade IS NOT NULL GROUP BY grade
      UNION ALL SELECT 'difficulty', difficulty::text, count(*)::int FROM matched GROUP BY difficulty
      UNION ALL SELECT 'topicTag', t.name, count(*)::int
        FROM matched m JOIN card_topic_tag l ON l.tenant_id = m.tenant_id AND l.card_id = m.id
        JOIN topic_tag t ON t.tenant_id = l.tenant_id AND t.id = l.topic_tag_id GROUP BY t.name
      UNION ALL SELECT 'errorType', t.name, count(*)::int
        FROM matched m JOIN card_error_type l ON l.tenant_id = m.tenant_id AND l.card_id = m.id
        JOIN error_type t ON t.tenant_id = l.tenant_id AND t.id = l.error_type_id GROUP BY t.name
    ), placed AS (
      SELECT facet, value, count, count(*) OVER (PARTITION BY facet)::int AS size,
        row_number() OVER (PARTITION BY facet ORDER BY count DESC, value COLLATE "C") AS place
      FROM counted
    )
    SELECT facet, value, count, size FROM placed WHERE place <= ${MAX_FACET_VALUES} ORDER BY facet, place`);
  const of = (facet: Facet): FacetCount[] =>
    rows.filter((row) => row.facet === facet).map(({ value, count }) => ({ value, count }));
  const sizeOf = (facet: Facet): number => rows.find((row) => row.facet === facet)?.size ?? 0;
  const total = rows.find((row) => row.facet === 'total');
  if (total === undefined) throw new Error('counting the cards returned no total');
  return {
    total: total.count,
    distinctSubjects: sizeOf('subject'),
    distinctGrades: sizeOf('grade'),
    distinctTopicTags: sizeOf('topicTag'),
    distinctErrorTypes: sizeOf('errorType'),
    subject: of('subject'),
    grade: of('grade'),
    difficulty: of('difficulty'),
    topicTag: of('topicTag'),
    errorType: of('errorType'),
  };
}
