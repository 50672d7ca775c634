import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { OnDuplicate } from '../src/domain/duplicates.js';
import { OnDuplicateEnum, QualityGradeEnum } from './enums.js';
import { MetadataInput } from './metadata.type.js';

@InputType({
  description:
    'A card to import. Fields and required fields are those of CreateCardInput, but a row that lacks one or has an invalid one is reported, and the other rows are imported.',
})
export class ImportCardInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the card. If a card with this id exists, the row updates it. If the card belongs to another owner, the row fails if you may see that card, and otherwise gets a new id.',
  })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The school subject. Required.' })
  subject?: string | null;

  @Field(() => String, { nullable: true, description: 'The school grade.' })
  grade?: string | null;

  @Field(() => Int, { nullable: true, description: 'How hard the question is, from 1 (easiest) to 5. Required.' })
  difficulty?: number | null;

  @Field(() => String, { nullable: true, description: 'The question. Required.' })
  questionText?: string | null;

  @Field(() => String, { nullable: true, description: "The student's own, wrong solution." })
  studentSolutionText?: string | null;

  @Field(() => String, { nullable: true, description: 'The correct solution in brief.' })
  goldSolutionBrief?: string | null;

  @Field(() => [String], { nullable: true, description: 'The knowledge points that the question trains.' })
  topicTags?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'What kinds of error the student made.' })
  errorTypes?: string[] | null;

  @Field(() => QualityGradeEnum, { nullable: true, description: 'How good the card is as practice material.' })
  qualityGrade?: QualityGrade | null;

  @Field(() => String, { nullable: true, description: 'Where the question comes from.' })
  source?: string | null;

  @Field(() => String, { nullable: true, description: 'Free notes.' })
  notes?: string | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the mistake was made. By default now.',
  })
  occurredAt?: Date | null;

  @Field(() => [MetadataInput], { nullable: true, description: 'What your app stores with the card.' })
  metadata?: MetadataInput[] | null;
}

/** How rows are imported. */
@ArgsType()
export class ImportCardsArgs {
  @Field(() => [ImportCardInput], { description: 'The cards to import: 1 to 500.' })
  rows!: ImportCardInput[];

  @Field(() => OnDuplicateEnum, {
    nullable: true,
    defaultValue: 'MERGE',
    description: 'How to handle rows whose question the owner already has.',
  })
  onDuplicate?: OnDuplicate | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Validates every row and stores nothing.',
  })
  dryRun?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'An idempotency key of 1 to 200 characters: a repeated request returns the result of the first and stores nothing again. CONFLICT if its rows or options differ.',
  })
  key?: string | null;
}
