import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { QualityGrade } from '../src/domain/card.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { CardIndexState } from '../src/domain/ports/ledger.js';
import { IndexStateEnum, PerspectiveEnum, QualityGradeEnum } from './enums.js';

@ObjectType({ description: 'What the search index knows of a card.', simpleResolvers: true })
export class CardIndex {
  @Field(() => IndexStateEnum, { description: 'Whether the index holds the card as it is now.' })
  state!: CardIndexState['state'];

  @Field(() => Int, {
    nullable: true,
    description: 'The revision that searches find now; null while the index holds nothing of the card.',
  })
  indexedRevision!: number | null;

  @Field(() => GraphQLDateTime, {
    nullable: true,
    description: 'When that revision was indexed; null while the index holds nothing of the card.',
  })
  indexedAt!: Date | null;

  @Field(() => [PerspectiveEnum], {
    description:
      'The perspectives that the card can be found in. One without a text is absent: it has nothing to compare.',
  })
  perspectives!: Perspective[];

  @Field(() => String, { nullable: true, description: 'Why the last attempt to index the card failed, or null.' })
  lastError!: string | null;
}

@ObjectType({
  description: 'One mistake in a mistake notebook: the question and what went wrong.',
  simpleResolvers: true,
})
export class MistakeCard {
  @Field(() => ID, { description: 'Names the card; chosen by the client or, where it chose none, by the server.' })
  id!: string;

  @Field(() => String, { description: 'The school subject, such as "math".' })
  subject!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The school grade, such as "G6", or null where it is not known.',
  })
  grade!: string | null;

  @Field(() => Int, { description: 'How hard the question is, from 1 (easiest) to 5.' })
  difficulty!: number;

  @Field(() => String, { description: 'The question as the student met it; LaTeX and line breaks are kept.' })
  questionText!: string;

  @Field(() => String, { nullable: true, description: "The student's own, wrong solution, or null." })
  studentSolutionText!: string | null;

  @Field(() => String, { nullable: true, description: 'The correct solution in brief, or null.' })
  goldSolutionBrief!: string | null;

  @Field(() => [String], { description: 'The knowledge points that the question trains, such as "fractions".' })
  topicTags!: string[];

  @Field(() => [String], { description: 'What kinds of error the student made, such as "sign error".' })
  errorTypes!: string[];

  @Field(() => QualityGradeEnum, { nullable: true, description: 'How good the card is as practice material, or null.' })
  qualityGrade!: QualityGrade | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where the question comes from, such as a book and page, or null.',
  })
  source!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Free notes of the student or a teacher; they are not searched.',
  })
  notes!: string | null;

  @Field(() => GraphQLDateTime, { description: 'When the mistake happened.' })
  occurredAt!: Date;

  @Field(() => Int, { description: 'How often this very mistake was made, at least 1.' })
  occurrences!: number;

  @Field(() => GraphQLDateTime, { description: 'When the card was created.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { description: 'When the card was changed last.' })
  updatedAt!: Date;

  @Field(() => Int, {
    description: 'Counts the versions of the card: 1, 2 and so on. It grows by one with every change; see updateCard.',
  })
  revision!: number;
}
