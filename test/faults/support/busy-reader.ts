import { serialize } from 'node:v8';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import type { CardDraft, StoredCards } from '../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { FileToRead } from '../../../src/exchange/import/reader/chunks.js';
import { canonicalQuestion } from '../../../src/text/canonical-question.js';
import { questionFingerprints } from '../../../src/text/duplicate-questions.js';
import { FILE_LIMITS, type Folder, IMPORTED_AT } from '../../support/files.js';
import { NO_NAMES } from '../../support/vocabulary.js';

/** Rows and cards that are nearly alike: each row is compared with each card, which takes minutes. */
const ALIKE = 300;

function questionOf(at: number): string {
  return `${'某商店购进一批衬衫按标价的九折出售仍可获利'.repeat(200)}${String.fromCodePoint(0x4e00 + at).repeat(1_000)}`;
}

/** A file whose rows keep a reader busy for minutes when they are folded into the cards. */
export async function busyFile(folder: Folder): Promise<{ readonly file: FileToRead; readonly view: StoredCards }> {
  const rows = Array.from({ length: ALIKE }, (_, at) => ({
    subject: 'math',
    difficulty: 1,
    questionText: questionOf(at),
  }));
  const path = await folder.write('busy.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const file: FileToRead = {
    path,
    format: 'jsonl',
    mapping: NO_MAPPING,
    owner: DEFAULT_VIEWER,
    onDuplicate: 'MERGE',
    now: IMPORTED_AT,
    stored: 0,
    limits: FILE_LIMITS,
  };
  const cards = rows.map((_, at) => draftOf(`card-${at}`, questionOf(at + ALIKE)));
  const busy = {
    file,
    view: { cards, taken: new Set<string>(), foreign: new Set<string>(), labels: NO_NAMES, files: new Map() },
  };
  // For another process; see embedded-parent.mjs.
  await folder.write('busy.v8', serialize(busy));
  return busy;
}

/** A card with nothing but a question. */
export function draftOf(id: string, questionText: string): CardDraft {
  const fingerprints = questionFingerprints(DEFAULT_VIEWER, questionText, canonicalQuestion(questionText));
  const none = { studentSolutionText: null, goldSolutionBrief: null, qualityGrade: null, source: null, notes: null };
  const content = {
    ...none,
    subject: 'math',
    grade: null,
    difficulty: 1,
    questionText,
    choices: [],
    topicTags: [],
    errorTypes: [],
  };
  return {
    id,
    ownerId: DEFAULT_VIEWER.ownerId,
    content: { ...content, occurredAt: IMPORTED_AT, metadata: [], attachments: [] },
    fingerprints,
    occurrences: [],
    state: 'STORED',
  };
}
