import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../../src/config/package-root.js';
import { NO_FOREGROUND } from '../../../../src/domain/background.js';
import type { Card } from '../../../../src/domain/card.js';
import { cleanText } from '../../../../src/domain/clean-text.js';
import { LabelSpelling } from '../../../../src/domain/labels.js';
import type { Language } from '../../../../src/domain/language.js';
import { parseNewCard } from '../../../../src/domain/parse/card.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { CardDraft } from '../../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { Exporter } from '../../../../src/exchange/export/exporter.js';
import { canonicalQuestion } from '../../../../src/text/canonical-question.js';
import { questionFingerprints } from '../../../../src/text/duplicate-questions.js';
import { IMPORTED_AT, readAll } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { RowStorer } from '../../../support/row-storer.js';
import { runs } from '../../../support/runs.js';
import { NO_NAMES } from '../../../support/vocabulary.js';
import { MemoryImportStore } from './memory-import-store.js';

const folder = await folderOfFile('round-trip');

/** The cards as they are stored, each with the times that `times` gives it. */
function stored(cards: readonly object[], times: readonly (readonly object[])[] = []): readonly CardDraft[] {
  const spelling = new LabelSpelling(NO_NAMES);
  return cards.map((said, place) => {
    const { id, ...parsed } = parseNewCard(said, 'card', IMPORTED_AT);
    const topicTags = spelling.of('topicTags', parsed.topicTags);
    const content = { ...parsed, topicTags, errorTypes: spelling.of('errorTypes', parsed.errorTypes) };
    const own = { wrongSolution: content.studentSolutionText, errorTypes: content.errorTypes };
    const occurrences = [{}, ...(times[place] ?? [])].map((time) => ({
      occurredAt: content.occurredAt,
      ...own,
      mergedId: null,
      merged: null,
      origin: null,
      ...time,
      errorTypes: spelling.of('errorTypes', (time as Partial<typeof own>).errorTypes ?? own.errorTypes),
    }));
    const canonical = canonicalQuestion(content.questionText);
    const fingerprints = questionFingerprints(DEFAULT_VIEWER, content.questionText, canonical);
    return {
      id: id ?? ['none', 'null'][place] ?? `card-${place}`,
      ownerId: 'default',
      content,
      fingerprints,
      occurrences,
      state: 'STORED',
    };
  });
}

async function exported({ cards }: MemoryImportStore, format: 'csv' | 'xlsx', language: Language): Promise<Uint8Array> {
  const page = cards.map(({ id, ownerId, content, occurrences }): Card => {
    const [createdAt, updatedAt] = [IMPORTED_AT, IMPORTED_AT];
    return {
      tenantId: 'default',
      id,
      ownerId,
      ...content,
      revision: 1,
      occurrences: occurrences.length,
      createdAt,
      updatedAt,
    };
  });
  const times = new Map(
    cards.map(({ id, occurrences }) => [id, occurrences.map((one, at) => ({ ...one, number: at + 1 }))]),
  );
  const exporter = new Exporter({
    cards: { byIds: async () => new Map(), mergedInto: async () => new Map() },
    imports: { cardsAfter: async () => page, occurrences: async () => times },
    papers: { write: () => Promise.reject(new Error('no paper was asked for')) },
    files: { embedded: async () => new Map() },
    takeTurn: async (step) => step(),
    background: NO_FOREGROUND,
  });
  const request = {
    format,
    filter: {},
    cardIds: null,
    title: null,
    language,
    embedFiles: false,
    withoutMistakes: false,
    mistakesOf: null,
  };
  return buffer((await exporter.export(DEFAULT_VIEWER, request, new AbortController().signal)).body);
}

async function imported(imports: MemoryImportStore, name: string, bytes: Uint8Array): Promise<object> {
  const { rows } = await readAll(await folder.write(name, bytes));
  const options = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;
  const storer = new RowStorer({ imports, viewer: DEFAULT_VIEWER, options, scope: '' });
  const prepared = rows.map((row) => storer.prepare(row));
  return (await storer.store(prepared, null))?.counts ?? {};
}

/** What programs and people put into texts: widths, blanks, line ends, signs of spreadsheets and of XML. */
const textArb = fc
  .string({
    unit: fc.constantFrom(...'aA题＋＝－（　）１,;"\'\n\r\t =+-@、|_x0041_<&\u200b\u00a0\u3000'),
    minLength: 1,
    maxLength: 10,
  })
  .filter((said) => said.trim() !== '');
/** Names that say in a table that there is none. */
const noValueArb = fc.constantFrom('none', '无', '－', '"none"', '""无""', '"-');
const visibleArb = textArb.filter((said) => cleanText(said) !== '');
const nullable = fc.option(textArb, { nil: null });
const cardArb = fc.record({
  subject: fc.oneof(
    fc.constantFrom('math', '数学', 'Maths', 'Ｍａｔｈ', '书法', '書法', 'politics'),
    noValueArb,
    visibleArb,
  ),
  grade: fc.option(
    fc.oneof(fc.constantFrom('G6', '六年级', '初一', '小六 ', '高一', 'G12', '大一'), noValueArb, visibleArb),
    { nil: null },
  ),
  difficulty: fc.integer({ min: 1, max: 5 }),
  questionText: visibleArb,
  studentSolutionText: nullable,
  goldSolutionBrief: nullable,
  topicTags: fc.array(visibleArb, { maxLength: 3 }),
  errorTypes: fc.array(visibleArb, { maxLength: 3 }),
  qualityGrade: fc.constantFrom(null, 'EXCELLENT', 'GOOD', 'FAIR'),
  source: fc.oneof(noValueArb, nullable),
  notes: nullable,
});
const timeArb = fc.record({
  wrongSolution: nullable,
  errorTypes: fc.uniqueArray(visibleArb, { maxLength: 2 }).map((types) => [...new Set(types.map((one) => one.trim()))]),
  occurredAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T03:04:05.678Z').map((at) => new Date(at)),
});

describe.each(['csv', 'xlsx'] as const)('a notebook that is exported to %s and imported unchanged', (format) => {
  test.each(['zh', 'en'] as const)('changes nothing, whatever its cards contain (%s)', async (language) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(cardArb, { minLength: 1, maxLength: 4 }),
        fc.array(fc.array(timeArb, { maxLength: 2 }), { maxLength: 4 }),
        async (cards, times) => {
          const imports = new MemoryImportStore();
          imports.cards = stored(cards, times);
          const before = imports.cards;
          run += 1;
          const bytes = await exported(imports, format, language);
          expect(await imported(imports, `${language}-${run}.${format}`, bytes)).toMatchObject({
            created: 0,
            updated: 0,
            merged: 0,
            failed: 0,
          });
          expect(imports.cards).toEqual(before);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test.each([
    ['zh', 'zh'],
    ['zh', 'en'],
    ['en', 'zh'],
    ['en', 'en'],
  ] as const)('changes nothing of the sample imports (%s, in %s)', async (sample, language) => {
    const lines = await readFile(join(packageRoot(), 'sample', `notebook.${sample}.jsonl`), 'utf8');
    const imports = new MemoryImportStore();
    imports.cards = stored(
      lines
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    );
    const before = imports.cards;
    const bytes = await exported(imports, format, language);
    expect(await imported(imports, `sample-${sample}-${language}.${format}`, bytes)).toMatchObject({
      skipped: before.length,
    });
    expect(imports.cards).toEqual(before);
  });
});
