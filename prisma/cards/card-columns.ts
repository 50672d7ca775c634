import type { CardChange } from '../../src/domain/card.js';
import { CARD_CONTENT, type CardContent, CONTENT_FIELDS, type ContentField } from '../../src/domain/card-content.js';
import { type FieldKind } from '../../src/domain/card-values.js';
import { Prisma } from '../generated/client.js';
import { json } from '../statements.js';

/** Column types by kind; null: stored in tables of their own. */
const TYPES: Readonly<Record<FieldKind, string | null>> = {
  subject: 'text',
  grade: 'text',
  difficulty: 'int',
  text: 'text',
  labels: null,
  choices: 'text[]',
  quality: 'text',
  source: 'text',
  moment: 'timestamptz',
  metadata: 'jsonb',
  attachments: 'jsonb',
};

interface ContentColumn {
  readonly field: ContentField;
  readonly column: string;
  readonly type: string;
}

const CONTENT_COLUMNS: readonly ContentColumn[] = CONTENT_FIELDS.flatMap((field) => {
  const type = TYPES[CARD_CONTENT[field].kind];
  return type === null ? [] : [{ field, column: columnOf(field), type }];
});

/** As `@map` names it in schema.prisma. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A list for an SQL statement with an entry for each column of a card's content. */
export function contentList(entry: (column: ContentColumn) => string): Prisma.Sql {
  return Prisma.raw(CONTENT_COLUMNS.map(entry).join(', '));
}

export function contentRow(content: CardContent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(CONTENT_COLUMNS.map(({ field, column }) => [column, content[field]]));
}

/** The columns of a content, or of a change of it, as Prisma's client takes them. Labels are rows of other tables. */
export function contentData<T extends CardChange>({
  topicTags: _,
  errorTypes: _types,
  choices,
  metadata,
  attachments,
  ...columns
}: T) {
  return {
    ...columns,
    ...(choices !== undefined && { choices: { set: [...choices] } }),
    ...(attachments !== undefined && { attachments: attachments.map(json) }),
    ...(metadata !== undefined && { metadata: metadata.map(json) }),
  };
}
