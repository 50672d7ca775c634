import { CARD_CONTENT, type ContentField } from '../../../domain/card-content.js';
import { type FieldKinds } from '../../../domain/card-values.js';
import { letteredLines } from '../../../domain/choices.js';
import { atOccurrence } from '../../../domain/occurrence.js';
import { COLUMNS } from '../columns.js';
import { joinAttachments } from '../values/attachments.js';
import { joinLabels } from '../values/labels.js';
import { joinMetadata } from '../values/metadata.js';
import type { CardWithOccurrences } from './card-lines.js';

/** The cell of a value, by its kind; the importer reads it back. */
const CELLS: { readonly [Kind in keyof FieldKinds]: (value: FieldKinds[Kind]) => string } = {
  subject: String,
  grade: String,
  difficulty: String,
  text: String,
  choices: letteredLines,
  labels: joinLabels,
  quality: String,
  source: String,
  moment: (moment) => moment.toISOString(),
  metadata: joinMetadata,
  attachments: joinAttachments,
};

/**
 * The rows of a card in a table, in the order of {@link COLUMNS}: one for each occurrence, all with the card's id, by
 * which the importer joins them again. Differing fields of merged cards are not exported to tables.
 */
export function tableRows({ card, occurrences }: CardWithOccurrences): readonly (readonly string[])[] {
  return occurrences.map((one) => {
    const then = atOccurrence(card, one);
    return COLUMNS.map(({ field }) => (field === 'id' ? card.id : cell(field, then[field])));
  });
}

function cell(field: ContentField, value: unknown): string {
  return value === null ? '' : (CELLS[CARD_CONTENT[field].kind] as (value: unknown) => string)(value);
}
