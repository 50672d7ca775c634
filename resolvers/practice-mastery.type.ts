import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { Card } from '../src/domain/card.js';
import type { LabelKind } from '../src/domain/labels.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { Verdict } from '../src/domain/search-result.js';
import { MistakeCard } from './card.type.js';
import { PageInfo } from './card-connection.type.js';
import { PerspectiveEnum, VerdictEnum } from './enums.js';
import { LabelKindEnum } from './practice.enums.js';

@ObjectType({ description: 'How well a student masters what a label stands for.', simpleResolvers: true })
export class Mastery {
  @Field(() => LabelKindEnum, { description: 'Whether it is a topic tag or an error type.' })
  kind!: LabelKind;

  @Field(() => String, { description: 'The label.' })
  name!: string;

  @Field(() => Float, {
    description: 'The ability: the probability of solving a card of medium difficulty with this label, from 0 to 1.',
  })
  ability!: number;

  @Field(() => Float, { description: 'The lower end of the 95 % interval of the ability.' })
  low!: number;

  @Field(() => Float, { description: 'The upper end of the 95 % interval of the ability.' })
  high!: number;

  @Field(() => Float, {
    description:
      'The probability of solving the next such card, in which recent answers count for more than in the ability.',
  })
  successProbability!: number;

  @Field(() => Int, { description: 'How many cards with this label were attempted, each as often as it was.' })
  attempts!: number;

  @Field(() => Int, { description: 'How many of these attempts were right.' })
  right!: number;

  @Field(() => GraphQLDateTime, { description: 'When the last of them was.' })
  lastAt!: Date;
}

@ObjectType({ description: 'An entry and its place in the list.', simpleResolvers: true })
export class MasteryEdge {
  @Field(() => String, { description: 'The position of the entry in this list.' })
  cursor!: string;

  @Field(() => Mastery, { description: 'The entry itself.' })
  node!: Mastery;
}

@ObjectType({ description: 'A page of what a student masters, the weakest first.', simpleResolvers: true })
export class MasteryConnection {
  @Field(() => [MasteryEdge], { description: 'The entries of the page with their cursors.' })
  edges!: MasteryEdge[];

  @Field(() => [Mastery], { description: 'The entries of the page without their cursors.' })
  nodes!: Mastery[];

  @Field(() => PageInfo, { description: 'Where the page stands in the list.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'How many entries there are on all pages together.' })
  totalCount!: number;
}

@ObjectType({ description: 'A card of a ladder.', simpleResolvers: true })
export class LadderRung {
  @Field(() => MistakeCard, { description: 'The card.' })
  card!: Card;

  @Field(() => Float, { description: 'The probability that the student solves it.' })
  successProbability!: number;

  @Field(() => VerdictEnum, { description: 'What it has in common with the mistake.' })
  verdict!: Verdict;

  @Field(() => PerspectiveEnum, { description: 'The perspective in which it was found.' })
  perspective!: Perspective;

  @Field(() => Boolean, {
    description: 'True for an easier question about the same idea, where its foundations look weak.',
  })
  isLevelDown!: boolean;

  @Field(() => String, { description: 'Why it is part of the ladder.' })
  reason!: string;
}

@ObjectType({ description: 'Cards that train a mistake, from easy to hard.', simpleResolvers: true })
export class PracticeLadder {
  @Field(() => [LadderRung], { description: 'The rungs; no two of them ask the same question.' })
  rungs!: LadderRung[];

  @Field(() => [String], { description: 'What the notebook lacks for a better ladder; empty where it lacks nothing.' })
  missing!: string[];
}

@ObjectType({ description: 'How hard a card is by the cards most like it.', simpleResolvers: true })
export class CardDifficulty {
  @Field(() => Float, {
    description: 'The estimate, from 1 (easiest) to 5: the mean of the neighbours, the nearer ones counting more.',
  })
  estimate!: number;

  @Field(() => Float, { description: 'How far the neighbours differ: their standard deviation.' })
  spread!: number;

  @Field(() => [ID], { description: 'The neighbours, at most ten, the most similar one first.' })
  neighbourIds!: readonly string[];

  @Field(() => Int, {
    description: 'The attempts at the neighbours that the viewer may see; they move the grades of these.',
  })
  attempts!: number;

  @Field(() => Int, { description: 'How many of them were right.' })
  right!: number;
}
