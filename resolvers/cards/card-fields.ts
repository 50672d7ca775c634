import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import type { Attachment as Stored } from '../../src/domain/attachment.js';
import type { MetadataEntry as Entry } from '../../src/domain/card.js';
import { CARD_CONTENT, CONTENT_FIELDS, MERGED_FIELDS } from '../../src/domain/card-content.js';
import { type FieldKind } from '../../src/domain/card-values.js';
import { AttachmentKindEnum, QualityGradeEnum } from '../enums.js';
import { computed, field, inputType, nullable, outputType } from '../types.js';

export const MetadataEntry = outputType<Entry>(
  'MetadataEntry',
  'What an app stores with a card: a key with its value.',
  {
    key: field(String, 'The key.'),
    value: field(String, 'The value.'),
  },
);

export const MetadataInput = inputType('MetadataInput', 'A key with its value.', {
  key: field(String, 'The key: 1 to 100 characters.'),
  value: field(String, 'The value: 1 to 1000 characters.'),
});

export const Attachment = outputType<Stored>(
  'Attachment',
  'A link, or a file that was uploaded to POST /attachments, that belongs to a card.',
  {
    kind: field(AttachmentKindEnum, 'What it shows.'),
    altText: nullable(String, 'Alternative text for users who cannot see it, or null.'),
    url: computed(
      String,
      'The link; for an uploaded file, its path on this gateway, which requires the same credential: "/attachments/...".',
      ({ url, sha256 }) => url ?? `/attachments/${sha256}`,
    ),
    sha256: nullable(ID, 'The SHA-256 of an uploaded file, 64 hexadecimal digits; null for a link.'),
    contentType: nullable(String, 'The content type of an uploaded file, such as "image/png"; null for a link.'),
    bytes: nullable(Int, 'The size of an uploaded file in bytes; null for a link.'),
  },
);

const AttachmentInput = inputType(
  'AttachmentInput',
  'An attachment: a link or an uploaded file. Exactly one of url and sha256 must be given.',
  {
    kind: nullable(AttachmentKindEnum, 'What it shows; OTHER by default.'),
    altText: nullable(String, 'Alternative text for users who cannot see it: 1 to 1000 characters.'),
    url: nullable(
      String,
      'An address that begins with http:// or https://, of at most 2000 characters. It is never fetched.',
    ),
    sha256: nullable(
      ID,
      "The SHA-256 of a file that was uploaded for the card's owner, as returned by POST /attachments.",
    ),
  },
);

const SENT: Readonly<Record<FieldKind, object>> = {
  subject: String,
  grade: String,
  difficulty: Int,
  text: String,
  labels: [String],
  choices: [String],
  quality: QualityGradeEnum,
  source: String,
  moment: GraphQLDateTime,
  metadata: [MetadataInput],
  attachments: [AttachmentInput],
};
const READ: typeof SENT = { ...SENT, metadata: [MetadataEntry], attachments: [Attachment] };

/**
 * The fields of a card's content in a type of GraphQL. A card has all that are not optional, a new card needs those
 * that are required; a change, a row of an import and a merged card may lack any.
 */
export function cardFields(as: 'card' | 'create' | 'update' | 'import' | 'merged') {
  const types = as === 'card' || as === 'merged' ? READ : SENT;
  const fields = (as === 'merged' ? MERGED_FIELDS : CONTENT_FIELDS).map((field) => {
    const { kind, presence, about } = CARD_CONTENT[field];
    const { [as]: description }: Readonly<Partial<Record<typeof as, string>>> = about;
    if (description === undefined) throw new Error(`the field ${field} has no description as ${as}`);
    const nullable = as === 'card' ? presence === 'optional' : as === 'create' ? presence !== 'required' : true;
    return [field, { type: types[kind], nullable, description }] as const;
  });
  return Object.fromEntries(fields);
}
