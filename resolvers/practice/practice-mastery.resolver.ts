import { Arg, Args, Ctx, FieldResolver, Float, ID, Query, Resolver, Root } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseLadder, parseMastery } from '../../src/domain/parse/practice.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { CardDifficulty as NeighbourDifficulty } from '../../src/practice/card-difficulty.js';
import type { DifficultyService } from '../../src/practice/difficulty-service.js';
import type { Ladder, LadderService } from '../../src/practice/ladder-service.js';
import type { Mastery, MasteryService } from '../../src/practice/mastery-service.js';
import type { DueCard as Due } from '../../src/practice/practice-service.js';
import type { StudentModel } from '../../src/practice/student-model.js';
import type { CountedConnection } from '../connection.js';
import { countedConnectionOf } from '../connection.js';
import type { Context } from '../context.js';
import { MasteryArgs, PracticeLadderArgs } from './practice.input.js';
import { DueCard } from './practice.type.js';
import { CardDifficulty, MasteryConnection, PracticeLadder } from './practice-mastery.type.js';

export type Masteries = Pick<MasteryService, 'list' | 'model'>;
export type Difficulties = Pick<DifficultyService, 'difficulty'>;
export type Ladders = Pick<LadderService, 'ladder' | 'siblings'>;

@Resolver(() => DueCard)
export class MasteryResolver {
  /** Of each request, made once for all cards of its list. */
  readonly #models = new WeakMap<Context, Promise<StudentModel>>();

  constructor(
    private readonly masteries: Masteries,
    private readonly ladders: Pick<Ladders, 'ladder'>,
    private readonly difficulties: Difficulties,
  ) {}

  @Query(() => MasteryConnection, {
    description:
      'How well a student masters the topics and avoids the errors of the attempted cards, the weakest first.',
  })
  async mastery(
    @Args(() => MasteryArgs) { first, after, owner, topicTags, errorTypes }: InstanceType<typeof MasteryArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<CountedConnection<Mastery>> {
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
    const model = this.#models.get(context) ?? this.masteries.model(context.viewer, context.signal);
    this.#models.set(context, model);
    return (await model).probability(card, new Date());
  }
}
