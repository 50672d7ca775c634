import { GraphQLDateTime } from 'graphql-scalars';
import { Int } from 'type-graphql';
import { CARD_CONTENT, CONTENT_FIELDS, MERGED_FIELDS } from '../../src/domain/card-content.js';
import { type FieldKind } from '../../src/domain/card-values.js';
import { QualityGradeEnum } from '../enums.js';
import { Attachment, AttachmentInput } from './attachment.type.js';
import { MetadataEntry, MetadataInput } from './metadata.type.js';

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
