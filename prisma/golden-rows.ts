import { BadInputError } from '../src/domain/errors.js';
import type { GoldenCase, GoldenSet, Judgement } from '../src/domain/golden.js';
import { parseCardFilter } from '../src/domain/parse/filter.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { SearchOperation } from '../src/domain/search.js';
import { Prisma } from './generated/client.js';
import type { Queries } from './statements.js';

/** `golden_judgement` as it counts: of each card what was said last, in the order in which the cards were first judged. */
const COUNTING = Prisma.sql`
  SELECT DISTINCT ON (card_id) card_id, grade, reason, min(id) OVER (PARTITION BY card_id) AS first
  FROM golden_judgement j
  WHERE j.tenant_id = c.tenant_id AND j.set_name = c.set_name AND j.case_id = c.id
  ORDER BY card_id, id DESC`;

interface CaseRow {
  readonly cursor: string;
  readonly id: string;
  readonly operation: SearchOperation;
  readonly queryText: string | null;
  readonly queryCardId: string | null;
  readonly filter: unknown;
  readonly perspective: Perspective | null;
  readonly reason: string | null;
  readonly judgements: readonly Judgement[];
}

/** A case and what to ask for those after it with. */
export interface SelectedCase {
  readonly cursor: string;
  readonly goldenCase: GoldenCase;
}

/** The cases `c` that a condition chooses. */
export async function selectCases(queries: Queries, where: Prisma.Sql): Promise<readonly SelectedCase[]> {
  const rows = await queries.query<CaseRow>(Prisma.sql`
    SELECT c.number::text AS cursor, c.id, c.operation, c.query_text AS "queryText", c.query_card_id AS "queryCardId", c.filter,
      c.perspective, c.reason, coalesce((
        SELECT json_agg(json_build_object('cardId', card_id, 'grade', grade, 'reason', reason) ORDER BY first)
        FROM (${COUNTING}) counting), '[]') AS judgements
    FROM golden_case c WHERE ${where}`);
  return rows.map(({ cursor, id, operation, queryText, queryCardId, filter, perspective, reason, judgements }) => ({
    cursor,
    goldenCase: {
      id,
      operation,
      subject: queryText === null ? { kind: 'card', cardId: String(queryCardId) } : { kind: 'text', text: queryText },
      // JSON has no dates: what was a Date is one again.
      filter: parseCardFilter(filter, 'filter'),
      perspective,
      judgements,
      reason,
    },
  }));
}

/** The sets `s` that a condition chooses, by name. */
export function selectSets(queries: Queries, where: Prisma.Sql): Promise<GoldenSet[]> {
  return queries.query<GoldenSet>(Prisma.sql`
    SELECT s.name, s.description, s.created_at AS "createdAt", s.updated_at AS "updatedAt",
      count(c.id)::int AS cases, (count(c.id) FILTER (WHERE counts.relevant > 0))::int AS "judgedCases",
      coalesce(sum(counts.judged), 0)::int AS judgements
    FROM golden_set s
    LEFT JOIN golden_case c ON c.tenant_id = s.tenant_id AND c.set_name = s.name
    LEFT JOIN LATERAL (
      SELECT count(*) AS judged, count(*) FILTER (WHERE grade > 0) AS relevant FROM (${COUNTING}) counting
    ) counts ON true
    WHERE ${where} GROUP BY s.tenant_id, s.name ORDER BY s.name`);
}

/** Whether a text is a number as a BIGSERIAL counts. */
export function isNumber(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}

/** The number that a cursor stands for. BadInputError (`after`) for what is none. */
export function numberOf(cursor: string): bigint {
  if (!isNumber(cursor)) throw new BadInputError('after', 'is not a cursor of this list');
  return BigInt(cursor);
}
