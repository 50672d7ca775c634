import type { OnDuplicate } from '../../../../src/domain/duplicates.js';
import { type ImportCounts, NO_COUNTS } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { Folded } from '../../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { cardRow } from '../../../../src/exchange/formats/rows.js';
import { FILE_LIMITS, IMPORTED_AT } from '../../../support/files.js';
import { RowStorer } from '../../../support/row-storer.js';
import { MemoryImportStore } from './memory-import-store.js';

export type Said = Readonly<Record<string, unknown>>;

/** Imports rows as objects, some at a time; what came of them together. */
export async function importRows(
  imports: MemoryImportStore,
  rows: readonly Said[],
  {
    onDuplicate = 'MERGE',
    chunk = 500,
    dryRun = false,
    sheet = null,
  }: { onDuplicate?: OnDuplicate; chunk?: number; dryRun?: boolean; sheet?: string | null } = {},
): Promise<Folded['counts'] & { readonly reasons: readonly string[] }> {
  const options = { onDuplicate, dryRun, mapping: NO_MAPPING };
  const storer = new RowStorer({ imports, viewer: DEFAULT_VIEWER, options, scope: '' });
  const prepared = rows.map((said, place) => {
    const cells = Object.entries(said).map(([header, value]) => ({ header, value }));
    const parts = { mapping: NO_MAPPING, typed: true, now: IMPORTED_AT, limits: FILE_LIMITS };
    return storer.prepare(cardRow({ sheet, row: place + 1, cells }, parts));
  });
  const counts: Record<keyof ImportCounts, number> = { ...NO_COUNTS };
  const reasons: string[] = [];
  for (let at = 0; at < prepared.length; at += chunk) {
    const folded = await storer.store(prepared.slice(at, at + chunk), null);
    if (folded === null) throw new Error('no step, and yet it is not where it was');
    for (const key of Object.keys(counts) as (keyof ImportCounts)[]) counts[key] += folded.counts[key];
    // The ids of new cards are made by chance.
    reasons.push(...folded.problems.map(({ reason }) => reason.replace(/[0-9a-f-]{36}/, 'ID')));
  }
  return { ...counts, reasons };
}

export const question = '某商店购进一批衬衫，按标价的九折出售，仍可获利';
export const row = (more: Said = {}): Said => ({ subject: 'math', difficulty: 2, questionText: question, ...more });
