import { type GoldenCase, type GoldenCounts, type Judgement, writtenSubject } from '../../src/domain/golden.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import { isUuid, json, type Queries, type ViewerTransaction } from '../statements.js';
import { ofTenant, tenantOf } from '../viewer-conditions.js';

/**
 * Inserts new cases with their judgements, in their order, numbered from `first` on: the last judgement of a card
 * counts. SQL: Prisma's `createMany` of 4,000 judgements blocks the event loop for 0.6 s (by hand).
 */
export async function insertCases(
  tx: ViewerTransaction,
  { tenantId }: Viewer,
  setName: string,
  { cases, first }: { readonly cases: readonly GoldenCase[]; readonly first: bigint },
): Promise<void> {
  const rows = cases.map((one, place) => ({ place, id: one.id, ...caseColumns(one), judgements: one.judgements }));
  await tx.execute(Prisma.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (place int, id text, operation text,
        "queryText" text, "queryCardId" text, filter jsonb, perspective text, reason text, judgements jsonb)
    ), inserted AS (
      INSERT INTO golden_case (tenant_id, set_name, id, number, operation, query_text, query_card_id, filter, perspective,
        reason)
      SELECT ${tenantId}, ${setName}, id, ${first}::bigint + place, operation, "queryText", "queryCardId", filter, perspective,
        reason
      FROM given
    )
    INSERT INTO golden_judgement (tenant_id, set_name, case_id, card_id, grade, reason)
    SELECT ${tenantId}, ${setName}, given.id, one ->> 'cardId', (one ->> 'grade')::int, one ->> 'reason'
    FROM given CROSS JOIN jsonb_array_elements(given.judgements) WITH ORDINALITY AS judgement (one, place)
    ORDER BY given.place, judgement.place`);
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

/** Cases include their judgements, oldest first. */
export const WITH_JUDGEMENTS = {
  judgements: { select: { cardId: true, grade: true, reason: true }, orderBy: { id: 'asc' } },
} satisfies Prisma.GoldenCaseInclude;

export type CaseRow = Omit<
  Prisma.GoldenCaseGetPayload<{ include: typeof WITH_JUDGEMENTS }>,
  'number' | 'tenantId' | 'judged'
>;

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

/** SQL, because Prisma cannot count distinct last judgements, and would have to read every judgement of the sets. */
export async function selectCounts(
  queries: Queries,
  viewer: Viewer,
  names: readonly string[],
): Promise<ReadonlyMap<string, GoldenCounts>> {
  const rows = await queries.query<GoldenCounts & { readonly name: string }>(Prisma.sql`
    SELECT c.set_name AS name, count(*)::int AS cases, (count(*) FILTER (WHERE j.relevant > 0))::int AS "judgedCases",
      coalesce(sum(j.judged), 0)::int AS judgements
    FROM golden_case c LEFT JOIN (
      SELECT set_name, case_id, count(*) AS judged, count(*) FILTER (WHERE grade > 0) AS relevant FROM (
        SELECT DISTINCT ON (j.set_name, j.case_id, j.card_id) j.set_name, j.case_id, j.grade FROM golden_judgement j
        WHERE ${ofTenant(viewer, 'j')} AND j.set_name = ANY(${names}::text[])
        ORDER BY j.set_name, j.case_id, j.card_id, j.id DESC) last
      GROUP BY set_name, case_id
    ) j ON j.set_name = c.set_name AND j.case_id = c.id
    WHERE ${ofTenant(viewer, 'c')} AND c.set_name = ANY(${names}::text[]) GROUP BY c.set_name`);
  return new Map(rows.map(({ name, ...counts }) => [name, counts]));
}

/**
 * The number of a case that is added to a set, which the caller has locked: the time in microseconds. One more than
 * that of the last case may be that of a deleted case, after which a client reads on. Cursors show it: it must not
 * count the cases of other tenants.
 */
export async function addedNumber(
  { prisma, now }: ViewerTransaction,
  viewer: Viewer,
  setName: string,
): Promise<bigint> {
  const where = { ...tenantOf(viewer), setName };
  const { _max } = await prisma.goldenCase.aggregate({ where, _max: { number: true } });
  const [next, time] = [(_max.number ?? 0n) + 1n, 1_000n * BigInt(now.getTime())];
  return next > time ? next : time;
}

/** True for a number in the range of BIGSERIAL. */
export function isNumber(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}

/** The judgement that a client names, by its key, or by its number if it was made before there were keys. */
export function judgementNamed(id: string): { readonly key: string | null; readonly id?: bigint } | null {
  if (isUuid(id)) return { key: id };
  return isNumber(id) ? { key: null, id: BigInt(id) } : null;
}
