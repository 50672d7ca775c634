import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OnDuplicate } from '../../../../src/domain/duplicates.js';
import type { CardDraft } from '../../../../src/domain/ports/imports.js';
import { cardLine } from '../../../../src/exchange/formats/write/card-lines.js';
import { IMPORTED_AT } from '../../../support/files.js';
import { runs } from '../../../support/runs.js';
import { importRows, question, type Said } from './import-rows.js';
import { MemoryImportStore } from './memory-import-store.js';

/**
 * Rows as untidy as those of people: the same and nearly the same questions, with and without ids, dates and labels.
 */
const saidArb = fc
  .record({
    questionText: fc.constantFrom('1+1=?', ' 1 + 1 = ?', '2+2=?', `${question}。`, question, `${question}！`, ''),
    id: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    studentSolutionText: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    occurredAt: fc.option(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'), { nil: undefined }),
    topicTags: fc.option(fc.subarray(['p', 'q', 'r']), { nil: undefined }),
    errorTypes: fc.option(fc.subarray(['e', 'f']), { nil: undefined }),
    年级: fc.option(fc.constantFrom('六年级', '初一(2)班', '初一3班'), { nil: undefined }),
    notes: fc.option(fc.constantFrom('n', 'm'), { nil: undefined }),
    choices: fc.option(fc.constantFrom(['1', '2'], ['2', '1'], ['3', '4']), { nil: undefined }),
    metadata: fc.option(fc.constantFrom({ unit: '1' }, { unit: '2', class: '7b' }), { nil: undefined }),
  })
  .map((said) => ({ subject: 'math', difficulty: 2, ...JSON.parse(JSON.stringify(said)) }) as Said);
const rowsArb = fc.array(saidArb, { maxLength: 12 });
const modeArb = fc.constantFrom<OnDuplicate>('KEEP', 'MERGE', 'REJECT');

/** Cards without the ids that are made by chance. */
function shown(cards: readonly CardDraft[]): readonly object[] {
  return cards.map(({ content, occurrences }) => ({ content, occurrences }));
}

describe('any rows', () => {
  test('have the same result in any chunks; every row is counted once', async () => {
    await fc.assert(
      fc.asyncProperty(rowsArb, modeArb, fc.integer({ min: 1, max: 5 }), async (rows, onDuplicate, chunk) => {
        const [whole, cut] = [new MemoryImportStore(), new MemoryImportStore()];
        const counts = await importRows(whole, rows, { onDuplicate });
        expect(await importRows(cut, rows, { onDuplicate, chunk })).toEqual(counts);
        expect(shown(cut.cards)).toEqual(shown(whole.cards));
        const { read, created, updated, merged, skipped, failed } = counts;
        expect([read, created + updated + merged + skipped + failed]).toEqual([rows.length, rows.length]);
        expect(whole.cards).toHaveLength(created);
      }),
      { numRuns: runs(300) },
    );
  });

  test('imported again create no card and no occurrence twice', async () => {
    await fc.assert(
      fc.asyncProperty(rowsArb, fc.constantFrom<OnDuplicate>('KEEP', 'MERGE'), async (rows, onDuplicate) => {
        const imports = new MemoryImportStore();
        await importRows(imports, rows, { onDuplicate });
        const times = imports.cards.map(({ id, occurrences }) => [id, occurrences.length]);
        const again = await importRows(imports, rows, { onDuplicate });
        expect(again).toMatchObject({ created: 0, merged: 0 });
        expect(imports.cards.map(({ id, occurrences }) => [id, occurrences.length])).toEqual(times);
      }),
      { numRuns: runs(300) },
    );
  });

  test('lose nothing: every date, wrong solution and label of a good row is stored', async () => {
    await fc.assert(
      fc.asyncProperty(rowsArb, async (rows) => {
        const imports = new MemoryImportStore();
        await importRows(imports, rows);
        const good = rows.filter(({ questionText }) => questionText !== '');
        const times = imports.cards.flatMap(({ occurrences }) => occurrences);
        const tags = new Set(
          imports.cards.flatMap(({ content, occurrences }) => [
            ...content.topicTags,
            ...occurrences.flatMap(({ merged }) => merged?.topicTags ?? []),
          ]),
        );
        for (const {
          studentSolutionText = null,
          errorTypes = [],
          topicTags = [],
          occurredAt,
          id,
        } of good as unknown as readonly { [key: string]: never }[]) {
          for (const tag of topicTags) expect(tags).toContain(tag);
          // A row with an id that comes again may have corrected this one.
          if (id !== undefined || occurredAt === undefined) continue;
          const same = times.filter(
            (time) =>
              time.occurredAt.getTime() === Date.parse(occurredAt) && time.wrongSolution === studentSolutionText,
          );
          expect(same.some((time) => (errorTypes as string[]).every((type) => time.errorTypes.includes(type)))).toBe(
            true,
          );
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('are exported, imported into an empty notebook and exported again to the same bytes', async () => {
    const exported = ({ cards }: MemoryImportStore): string =>
      cards
        .map(({ id, ownerId, content, occurrences }) => {
          const times = occurrences.map((one, place) => ({ ...one, number: place + 1 }));
          const none = {
            tenantId: '',
            revision: 1,
            occurrences: times.length,
            createdAt: IMPORTED_AT,
            updatedAt: IMPORTED_AT,
          };
          return [...cardLine({ card: { ...none, id, ownerId, ...content }, occurrences: times })].join('');
        })
        .sort()
        .join('');
    await fc.assert(
      fc.asyncProperty(rowsArb, modeArb, async (rows, onDuplicate) => {
        const [first, second] = [new MemoryImportStore(), new MemoryImportStore()];
        await importRows(first, rows, { onDuplicate });
        const given = exported(first);
        const lines = given.split('\n').filter((line) => line !== '');
        await importRows(
          second,
          lines.map((line) => JSON.parse(line)),
          { onDuplicate: 'KEEP' },
        );
        expect(exported(second)).toBe(given);
      }),
      { numRuns: runs(300) },
    );
  });
});
