import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, Float, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseLadder, parseMastery } from '../../src/domain/parse/practice.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { CardDifficulty as NeighbourDifficulty } from '../../src/practice/card-difficulty.js';
import type { DifficultyService } from '../../src/practice/difficulty-service.js';
import type { Ladder, LadderService } from '../../src/practice/ladder-service.js';
import type { Mastery as LabelMastery, MasteryService } from '../../src/practice/mastery-service.js';
import type { DueCard as Due } from '../../src/practice/practice-service.js';
import { MistakeCard } from '../cards/card.type.js';
import { type CountedConnection, connectionType, countedConnectionOf, pageFields } from '../connection.js';
import { type Context, perRequest } from '../context.js';
import { LabelKindEnum, LanguageEnum, PerspectiveEnum, VerdictEnum } from '../enums.js';
import { argsType, computed, field, nullable, outputType } from '../types.js';
import { DueCard } from './practice.type.js';

const Mastery = outputType<LabelMastery>('Mastery', 'How well a student masters a topic or avoids an error.', {
  kind: field(LabelKindEnum, 'Whether it is a topic tag or an error type.'),
  name: field(String, 'The label.'),
  ability: field(
    Float,
    'The ability: the probability of solving a card of medium difficulty with this label, from 0 to 1.',
  ),
  low: field(Float, 'The lower end of the 95 % interval of the ability.'),
  high: field(Float, 'The upper end of the 95 % interval of the ability.'),
  successProbability: field(
    Float,
    'The probability of solving the next such card, in which recent answers count for more than in the ability.',
  ),
  attempts: field(Int, 'Number of attempts at cards with this label.'),
  right: field(Int, 'How many of these attempts were right.'),
  lastAt: field(GraphQLDateTime, 'When the last attempt was made.'),
});

const MasteryConnection = connectionType('Mastery', Mastery, {
  description: 'A page of the mastery of a student, the weakest first.',
  one: 'entry',
  many: 'entries',
  edge: 'An entry and its place in the list.',
  total: 'Number of entries on all pages.',
});

const LadderRung = outputType<Ladder['rungs'][number], 'probability'>(
  'LadderRung',
  'A card of a ladder.',
  {
    card: field(MistakeCard, 'The card.'),
    verdict: field(VerdictEnum, 'How it is related to the mistake.'),
    perspective: field(PerspectiveEnum, 'The perspective in which it was found.'),
    isLevelDown: field(
      Boolean,
      'True for an easier question about the same idea, inserted because its prerequisites look weak.',
    ),
    reason: field(String, 'Why it is part of the ladder.'),
  },
  {
    successProbability: computed(
      Float,
      'The probability that the student solves it.',
      ({ probability }) => probability,
    ),
  },
);

const PracticeLadder = outputType<Ladder>('PracticeLadder', 'Cards that train a mistake, from easy to hard.', {
  rungs: field([LadderRung], 'The rungs; no two of them ask the same question.'),
  missing: field([String], 'What the notebook lacks for a better ladder; empty if it lacks nothing.'),
});

const CardDifficulty = outputType<NeighbourDifficulty>(
  'CardDifficulty',
  'The difficulty of a card, estimated from its most similar cards.',
  {
    estimate: field(Float, 'The estimate, from 1 (easiest) to 5: the mean of the neighbours, weighted by similarity.'),
    spread: field(Float, 'The standard deviation of the neighbours.'),
    neighbourIds: field([ID], 'The neighbours, at most ten, the most similar one first.'),
    attempts: field(
      Int,
      'Number of attempts at the neighbours that the viewer may see; they adjust the grades of the neighbours.',
    ),
    right: field(Int, 'How many of these attempts were right.'),
  },
);

export type Masteries = Pick<MasteryService, 'list' | 'model'>;
export type Difficulties = Pick<DifficultyService, 'difficulty'>;
export type Ladders = Pick<LadderService, 'ladder' | 'siblings'>;

/** The arguments of `practiceLadder`: one of the first three. */
const PracticeLadderArgs = argsType({
  fromCardId: nullable(ID, 'The mistake that the ladder trains.'),
  topicTag: nullable(String, 'The topic tag that the ladder trains.'),
  errorType: nullable(String, 'The error type that the ladder trains.'),
  first: nullable(Int, 'Maximum number of rungs, from 1 to 30.', { defaultValue: 8 }),
  language: nullable(LanguageEnum, 'The language of the reasons. By default EN.'),
});

const MasteryArgs = argsType({
  ...pageFields(50),
  owner: nullable(ID, 'The student; by default the viewer. Teachers and admins may name others.'),
  topicTags: nullable(
    [String],
    'Only these topic tags and those below them. Error types are then returned only if errorTypes is given.',
  ),
  errorTypes: nullable(
    [String],
    'Only these error types and those below them. Topic tags are then returned only if topicTags is given.',
  ),
});

@Resolver(() => DueCard)
export class MasteryResolver {
  /** The same for all cards of a list. */
  readonly #modelOf = perRequest(({ viewer, signal }) => this.masteries.model(viewer, signal));

  constructor(
    private readonly masteries: Masteries,
    private readonly ladders: Pick<Ladders, 'ladder'>,
    private readonly difficulties: Difficulties,
  ) {}

  @Query(() => MasteryConnection, {
    description:
      'How well a student masters the topics and avoids the errors of the attempted cards, by the latest 5,000 attempts, the weakest first.',
  })
  async mastery(
    @Args(() => MasteryArgs) { first, after, owner, topicTags, errorTypes }: InstanceType<typeof MasteryArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<CountedConnection<LabelMastery>> {
    const page = parsePage({ first, after });
    const query = { ...page, ...parseMastery({ owner, topicTags, errorTypes }) };
    return countedConnectionOf(await this.masteries.list(viewer, query, new Date(), signal), page);
  }

  @Query(() => PracticeLadder, {
    description:
      'Cards that train a mistake, a topic or an error: the first has a success probability of about three in four, the next ones are harder. Cards practised today are left out.',
  })
  practiceLadder(
    @Args(() => PracticeLadderArgs) args: object,
    @Ctx() { viewer, searchSignal }: Context,
  ): Promise<Ladder> {
    return this.ladders.ladder(viewer, parseLadder(args), new Date(), searchSignal);
  }

  @Query(() => CardDifficulty, {
    nullable: true,
    description:
      'Estimates the difficulty of a card from the grades of its most similar cards and the attempts at them, for example if nobody has attempted it. Null if no card is similar. Its own grade is neither used nor changed.',
  })
  cardDifficulty(
    @Arg('cardId', () => ID, { description: 'The id of the card.' }) cardId: string,
    @Ctx() { viewer, searchSignal }: Context,
  ): Promise<NeighbourDifficulty | null> {
    return this.difficulties.difficulty(viewer, parseId(cardId, 'cardId'), searchSignal);
  }

  @FieldResolver(() => Float, { description: 'The probability that the student solves the card now.' })
  async successProbability(@Root() { card }: Due, @Ctx() context: Context): Promise<number> {
    return (await this.#modelOf(context)).probability(card, new Date());
  }
}
