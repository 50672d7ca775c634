import type { GraphQLScalarType } from 'graphql';
import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Int } from 'type-graphql';
import { CARD_CONTENT, CONTENT_FIELDS, MERGED_FIELDS } from '../../src/domain/card-content.js';
import { type FieldKind } from '../../src/domain/card-values.js';
import { QualityGradeEnum } from '../enums.js';
import { Attachment, AttachmentInput } from './attachment.type.js';
import { MetadataEntry, MetadataInput } from './metadata.type.js';

type GraphQLType = GraphQLScalarType | object | (new () => object);

interface KindTypes {
  readonly output: GraphQLType;
  readonly input: GraphQLType;
}

const same = (type: GraphQLType): KindTypes => ({ output: type, input: type });

const TYPES: Readonly<Record<FieldKind, KindTypes>> = {
  subject: same(String),
  grade: same(String),
  difficulty: same(Int),
  text: same(String),
  labels: same([String]),
  choices: same([String]),
  quality: same(QualityGradeEnum),
  source: same(String),
  moment: same(GraphQLDateTime),
  metadata: { output: [MetadataEntry], input: [MetadataInput] },
  attachments: { output: [Attachment], input: [AttachmentInput] },
};

/**
 * Adds the fields of a card's content to a GraphQL type. A card has all that are not optional, a new card needs those
 * that are required; a change, a row of an import and a merged card may lack any.
 */
export function addCardFields(
  type: new () => object,
  { as, direction }: { as: 'card' | 'create' | 'update' | 'import' | 'merged'; direction: keyof KindTypes },
): void {
  for (const field of as === 'merged' ? MERGED_FIELDS : CONTENT_FIELDS) {
    const { kind, presence, about } = CARD_CONTENT[field];
    const { [as]: description }: Readonly<Partial<Record<typeof as, string>>> = about;
    if (description === undefined) throw new Error(`the field ${field} has no description as ${as}`);
    const nullable = as === 'card' ? presence === 'optional' : as === 'create' ? presence !== 'required' : true;
    const returns = TYPES[kind][direction] as GraphQLScalarType;
    Field(() => returns, { ...(nullable && { nullable }), description })(type.prototype, field);
  }
}
