import { type GoldenCase, writtenSubject } from '../../src/domain/golden.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import { json, type ViewerTransaction } from '../statements.js';

/**
 * Inserts new cases in their order. SQL: Prisma's `createMany` of 4,000 judgements blocks the event loop for 0.6 s (by
 * hand).
 */
export async function insertCases(
  tx: ViewerTransaction,
  { tenantId }: Viewer,
  setName: string,
  cases: readonly GoldenCase[],
): Promise<void> {
  const rows = cases.map((one, place) => ({ place, id: one.id, ...caseColumns(one) }));
  await tx.execute(Prisma.sql`
    INSERT INTO golden_case (tenant_id, set_name, id, operation, query_text, query_card_id, filter, perspective, reason)
    SELECT ${tenantId}, ${setName}, r.id, r.operation, r."queryText", r."queryCardId", r.filter, r.perspective, r.reason
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (place int, id text, operation text, "queryText" text,
      "queryCardId" text, filter jsonb, perspective text, reason text)
    ORDER BY r.place`);
  await insertJudgements(tx, tenantId, setName, cases);
}

/** `replaced` is the case whose place it takes; without one it is the last. */
export async function insertCase(
  tx: ViewerTransaction,
  { tenantId }: Viewer,
  setName: string,
  one: GoldenCase,
  replaced: { readonly number: bigint } | null,
): Promise<void> {
  const data = { tenantId, setName, id: one.id, ...caseColumns(one), ...replaced };
  await tx.prisma.goldenCase.createMany({ data });
  await insertJudgements(tx, tenantId, setName, [one]);
}

/** In their order: the last judgement of a card counts. */
async function insertJudgements(
  tx: ViewerTransaction,
  tenantId: string,
  setName: string,
  cases: readonly GoldenCase[],
): Promise<void> {
  const rows = cases
    .flatMap(({ id: caseId, judgements }) => judgements.map((judgement) => ({ caseId, ...judgement })))
    .map((row, place) => ({ place, ...row }));
  await tx.execute(Prisma.sql`
    INSERT INTO golden_judgement (tenant_id, set_name, case_id, card_id, grade, reason)
    SELECT ${tenantId}, ${setName}, r."caseId", r."cardId", r.grade, r.reason
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (place int, "caseId" text, "cardId" text, grade int,
      reason text)
    ORDER BY r.place`);
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
