import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { OnDuplicate } from '../src/domain/duplicates.js';
import { OnDuplicateEnum, QualityGradeEnum } from './enums.js';

@InputType({
  description:
    'A card to import. The fields mean what they mean in CreateCardInput, and the same are required; but a row that lacks one, or has a bad one, is reported by itself and the others are imported.',
})
export class ImportCardInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the card: where there is one with it, the row is its new version. A row with the id of a card of another owner fails where you may see that card, and gets a new id where you may not.',
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
    description: 'When the mistake happened. Now, where it is left out.',
  })
  occurredAt?: Date | null;
}

/** How rows are imported. */
@ArgsType()
export class ImportCardsArgs {
  @Field(() => [ImportCardInput], { description: 'The cards to import: 1 to 500.' })
  rows!: ImportCardInput[];

  @Field(() => OnDuplicateEnum, {
    nullable: true,
    defaultValue: 'MERGE',
    description: 'What becomes of a row whose question there is already.',
  })
  onDuplicate?: OnDuplicate | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'True judges every row and stores nothing.',
  })
  dryRun?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'A key of your own, 1 to 200 characters: a request that comes again with it is answered as the first one was, and stores nothing again. CONFLICT where its rows or options are others.',
  })
  key?: string | null;
}
