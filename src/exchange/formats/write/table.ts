import { CARD_CONTENT, type ContentField } from '../../../domain/card-content.js';
import type { FieldKinds, QualityGrade } from '../../../domain/card-values.js';
import type { Language } from '../../../domain/language.js';
import { atOccurrence } from '../../../domain/occurrence.js';
import { chineseGrade, chineseSubject } from '../../../domain/school-names.js';
import { COLUMNS } from '../columns.js';
import { cellOfName, joinAttachments, joinChoices, joinLabels, joinMetadata } from '../values/lists.js';
import type { CardWithOccurrences } from './card-lines.js';

type Cells = { readonly [Kind in keyof FieldKinds]: (value: FieldKinds[Kind]) => string };

/** The cell of a value, by its kind; the importer reads it back. */
const ENGLISH_CELLS: Cells = {
  subject: cellOfName,
  grade: cellOfName,
  difficulty: String,
  text: String,
  choices: joinChoices,
  labels: joinLabels,
  quality: String,
  source: cellOfName,
  moment: (moment) => moment.toISOString(),
  metadata: joinMetadata,
  attachments: joinAttachments,
};

const CHINESE_QUALITIES: Readonly<Record<QualityGrade, string>> = { EXCELLENT: '优', GOOD: '良', FAIR: '中' };

const CELLS: Readonly<Record<Language, Cells>> = {
  en: ENGLISH_CELLS,
  zh: {
    ...ENGLISH_CELLS,
    subject: (subject) => cellOfName(chineseSubject(subject)),
    grade: (grade) => cellOfName(chineseGrade(grade)),
    quality: (grade) => CHINESE_QUALITIES[grade],
  },
};

/**
 * The rows of a card in a table, in the order of {@link COLUMNS}: one for each occurrence, all with the card's id, by
 * which the importer joins them again. Differing fields of merged cards are not exported to tables.
 */
export function* tableRows(
  { card, occurrences }: CardWithOccurrences,
  language: Language,
): Generator<readonly string[]> {
  for (const one of occurrences) {
    const then = atOccurrence(card, one);
    yield COLUMNS.map(({ field }) =>
      field === 'id' ? cellOfName(card.id) : cell(field, then[field], CELLS[language]),
    );
  }
}

function cell(field: ContentField, value: unknown, cells: Cells): string {
  return value === null ? '' : (cells[CARD_CONTENT[field].kind] as (value: unknown) => string)(value);
}
