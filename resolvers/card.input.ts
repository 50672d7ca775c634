import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import { QualityGradeEnum } from './enums.js';
import { MetadataInput } from './metadata.type.js';

@InputType({
  description:
    'A card to create. Texts are kept as they are, up to 16384 bytes of UTF-8 each. An empty text is an error: omit the field, or pass null.',
})
export class CreateCardInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "The client's own id: 1 to 100 letters, digits, dots, underscores, colons or hyphens, the first one a letter or a digit. If omitted, the server generates one; an id that exists is a CONFLICT.",
  })
  id?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The student whose mistake it is: 1 to 200 characters. By default you; teachers and admins may name others.',
  })
  owner?: string | null;

  @Field(() => String, { description: 'The school subject, such as "math": 1 to 100 characters.' })
  subject!: string;

  @Field(() => String, { nullable: true, description: 'The school grade, such as "G6": 1 to 100 characters.' })
  grade?: string | null;

  @Field(() => Int, { description: 'How hard the question is, from 1 (easiest) to 5.' })
  difficulty!: number;

  @Field(() => String, { description: 'The question as the student met it; LaTeX and line breaks are supported.' })
  questionText!: string;

  @Field(() => String, { nullable: true, description: "The student's own, wrong solution." })
  studentSolutionText?: string | null;

  @Field(() => String, { nullable: true, description: 'The correct solution in brief.' })
  goldSolutionBrief?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The knowledge points that the question trains, such as ["fractions", "ratio"]: at most 50, of 1 to 400 characters each. Repeated ones count once. None by default.',
  })
  topicTags?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'What kinds of error the student made, such as ["sign error"]: at most 50, of 1 to 400 characters each. Repeated ones count once. None by default.',
  })
  errorTypes?: string[] | null;

  @Field(() => QualityGradeEnum, { nullable: true, description: 'How good the card is as practice material.' })
  qualityGrade?: QualityGrade | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where the question comes from, such as a book and page: 1 to 500 characters.',
  })
  source?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Free notes of the student or a teacher; they are not searched.',
  })
  notes?: string | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the mistake was made, from the year 1900 to 9999. By default now.',
  })
  occurredAt?: Date | null;

  @Field(() => [MetadataInput], {
    nullable: true,
    description:
      'What your app stores with the card: at most 32 entries, each key once. It is not searched. None by default.',
  })
  metadata?: MetadataInput[] | null;
}

@InputType({
  description:
    'A change to a card: an omitted field is kept, and null clears an optional one. At least one field must be given.',
})
export class UpdateCardInput {
  @Field(() => String, { nullable: true, description: 'The new subject: 1 to 100 characters, not null.' })
  subject?: string | null;

  @Field(() => String, { nullable: true, description: 'The new grade: 1 to 100 characters. Null clears it.' })
  grade?: string | null;

  @Field(() => Int, { nullable: true, description: 'The new difficulty, from 1 (easiest) to 5, not null.' })
  difficulty?: number | null;

  @Field(() => String, { nullable: true, description: 'The new question: up to 16384 bytes of UTF-8, not null.' })
  questionText?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The student's new solution: up to 16384 bytes of UTF-8. Null clears it.",
  })
  studentSolutionText?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The new reference solution: up to 16384 bytes of UTF-8. Null clears it.',
  })
  goldSolutionBrief?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The new topic tags, in place of all the old ones: at most 50, of 1 to 400 characters each. Null or an empty list removes all.',
  })
  topicTags?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'The new error types, in place of all the old ones: at most 50, of 1 to 400 characters each. Null or an empty list removes all.',
  })
  errorTypes?: string[] | null;

  @Field(() => QualityGradeEnum, { nullable: true, description: 'The new quality grade. Null clears it.' })
  qualityGrade?: QualityGrade | null;

  @Field(() => String, { nullable: true, description: 'The new source: 1 to 500 characters. Null clears it.' })
  source?: string | null;

  @Field(() => String, { nullable: true, description: 'The new notes: up to 16384 bytes of UTF-8. Null clears them.' })
  notes?: string | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When the mistake happened, from the year 1900 to 9999, not null.',
  })
  occurredAt?: Date | null;

  @Field(() => [MetadataInput], {
    nullable: true,
    description: 'The new metadata, in place of all the old: at most 32 entries. Null or an empty list removes all.',
  })
  metadata?: MetadataInput[] | null;
}

/** The arguments of updateCard. */
@ArgsType()
export class UpdateCardArgs {
  @Field(() => ID, { description: 'The card to change; NOT_FOUND if there is none.' })
  id!: string;

  @Field(() => UpdateCardInput, { description: 'What to change.' })
  input!: UpdateCardInput;

  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the change is based on, at least 1: CONFLICT if the card has another revision by now. If omitted, the card is changed whatever its revision is.',
  })
  expectedRevision?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Waits up to 5 seconds until searches find the changed card; index.state says whether they do.',
  })
  waitForIndex!: boolean | null;
}
