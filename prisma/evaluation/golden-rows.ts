import { type GoldenCase, type GoldenSet, type Judgement, writtenSubject } from '../../src/domain/golden.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import { json, type Queries } from '../statements.js';
import { ofTenant } from '../viewer-conditions.js';

/** Cases include their judgements, oldest first. */
export const WITH_JUDGEMENTS = {
  judgements: { select: { cardId: true, grade: true, reason: true }, orderBy: { id: 'asc' } },
} satisfies Prisma.GoldenCaseInclude;

type CaseRow = Prisma.GoldenCaseGetPayload<{ include: typeof WITH_JUDGEMENTS }>;

export function caseOf(row: CaseRow): GoldenCase {
  const { id, operation, queryText, queryCardId, filter, perspective, judgements, reason } = row;
  return {
    id,
    operation: operation as GoldenCase['operation'],
    subject: queryText === null ? { kind: 'card', cardId: String(queryCardId) } : { kind: 'text', text: queryText },
    // JSON has no dates: strings become dates again.
    filter: parseCardFilter(filter, 'filter'),
    perspective: perspective as GoldenCase['perspective'],
    judgements: countingOf(judgements),
    reason,
  };
}

/** The last judgement of each card; cards in the order of their first judgement. */
function countingOf(judgements: readonly Judgement[]): readonly Judgement[] {
  return [...new Map(judgements.map((judgement) => [judgement.cardId, judgement])).values()];
}

/** The columns of a case; `perspective` and `reason` only if it was written, not created by judging a hit. */
export function caseColumns({
  operation,
  subject,
  filter,
  ...written
}: Pick<GoldenCase, 'operation' | 'subject' | 'filter'> & Partial<Pick<GoldenCase, 'perspective' | 'reason'>>) {
  const { text: queryText, cardId: queryCardId } = writtenSubject(subject);
  return {
    operation,
    queryText,
    queryCardId,
    filter: json(filter),
    perspective: written.perspective ?? null,
    reason: written.reason ?? null,
  };
}

/**
 * The viewer's sets with their counts, by name; `name` is of one of them, or null for all. SQL, because Prisma cannot
 * count distinct last judgements, and would have to read every judgement of the tenant.
 */
export function selectSets(queries: Queries, viewer: Viewer, name: string | null): Promise<GoldenSet[]> {
  return queries.query<GoldenSet>(Prisma.sql`
    SELECT s.name, s.description, s.created_at AS "createdAt", s.updated_at AS "updatedAt",
      count(c.id)::int AS cases, (count(c.id) FILTER (WHERE counts.relevant > 0))::int AS "judgedCases",
      coalesce(sum(counts.judged), 0)::int AS judgements
    FROM golden_set s
    LEFT JOIN golden_case c ON c.tenant_id = s.tenant_id AND c.set_name = s.name
    LEFT JOIN LATERAL (
      SELECT count(*) AS judged, count(*) FILTER (WHERE grade > 0) AS relevant FROM (
        SELECT DISTINCT ON (card_id) grade FROM golden_judgement j
        WHERE j.tenant_id = c.tenant_id AND j.set_name = c.set_name AND j.case_id = c.id
        ORDER BY card_id, id DESC) last
    ) counts ON true
    WHERE ${ofTenant(viewer, 's')} AND s.name = coalesce(${name}, s.name) GROUP BY s.tenant_id, s.name ORDER BY s.name`);
}
