import DataLoader from 'dataloader';
import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import { parsePage } from '../../src/domain/parse/page.js';
import {
  parseAttempts,
  parseDays,
  parseMoment,
  parseOwner,
  parsePracticeSettings,
  parseServe,
} from '../../src/domain/parse/practice.js';
import { ATTEMPT_FIELDS, type AttemptKind, type PracticeSettings as Settings } from '../../src/domain/practice.js';
import type {
  DuePage,
  ForecastDay,
  PracticeService,
  RecordedAttempt,
  CardReview as Review,
  ReviewStatistics as Statistics,
} from '../../src/practice/practice-service.js';
import { MistakeCard } from '../cards/card.type.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { type CountedConnection, countedConnectionOf, pageFields } from '../connection.js';
import { type Context, perRequest } from '../context.js';
import { argsType, inputType, nullable } from '../types.js';
import {
  AttemptResult,
  CardReview,
  DueCardConnection,
  PracticeSettings,
  PracticeSettingsInput,
  ReviewForecastDay,
  ReviewStatistics,
  type ServedCard,
  ServeModeEnum,
} from './practice.type.js';
import type { Ladders } from './practice-mastery.resolver.js';

const TYPES = {
  name: String,
  owner: ID,
  card: ID,
  text: String,
  flag: Boolean,
  hints: Int,
  milliseconds: Int,
  moment: GraphQLDateTime,
} satisfies Record<AttemptKind, unknown>;

const attemptFields = Object.entries(ATTEMPT_FIELDS).map(
  ([field, { kind, about, ...declared }]) =>
    [field, { type: TYPES[kind], nullable: 'absent' in declared, description: about }] as const,
);

const AttemptInput = inputType('AttemptInput', 'An attempt at a card.', Object.fromEntries(attemptFields));

const DueCardsArgs = argsType({
  ...pageFields(20),
  at: nullable(
    GraphQLDateTime,
    'A time on the requested day; by default now. A card that is due again minutes after an attempt is listed and counted from that moment on, all others the whole day.',
  ),
  serve: nullable(ServeModeEnum, 'SIBLING looks for a sibling of each card; then `first` is at most 20.', {
    defaultValue: 'CARD',
  }),
  filter: nullable(CardFilter, 'Restricts the cards; all by default.'),
});

export type Practice = Pick<
  PracticeService,
  'record' | 'due' | 'reviews' | 'forecast' | 'statistics' | 'settings' | 'saveSettings'
>;

const STUDENT = nullable(ID, 'The student; by default the viewer. Teachers and admins may name others.');

const PracticeSettingsArgs = argsType({ owner: STUDENT });

const ReviewStatisticsArgs = argsType({
  days: nullable(Int, 'How many days, from 1 to 90.', { defaultValue: 30 }),
  owner: STUDENT,
});

const ReviewForecastArgs = argsType({
  days: nullable(Int, 'How many days, from 1 to 90.', { defaultValue: 30 }),
  at: nullable(GraphQLDateTime, 'A time on the first day; by default now.'),
});

@Resolver(() => MistakeCard)
export class PracticeResolver {
  /** Without a cache: a mutation of the request may have recorded attempts. */
  readonly #reviewsOf = perRequest(
    ({ viewer, signal }) =>
      new DataLoader<string, Review | null>(
        async (ids) => {
          const found = await this.practice.reviews(viewer, ids, new Date(), signal);
          return ids.map((cardId) => found.get(cardId) ?? null);
        },
        { cache: false },
      ),
  );

  constructor(
    private readonly practice: Practice,
    private readonly ladders: Pick<Ladders, 'siblings'>,
  ) {}

  @Mutation(() => [AttemptResult], {
    description:
      'Records attempts at cards: 1 to 500, in any order, each once. The results are in the order of the attempts.',
  })
  recordAttempts(
    @Arg('attempts', () => [AttemptInput], { description: 'The attempts.' }) attempts: object[],
    @Ctx() { viewer }: Context,
  ): Promise<readonly RecordedAttempt[]> {
    const now = new Date();
    return this.practice.record(viewer, parseAttempts(attempts, 'attempts', now), now);
  }

  @Query(() => DueCardConnection, {
    description:
      'The cards to practise on a day: first reviews, the longest overdue first, then cards that were never attempted.',
  })
  async dueCards(
    @Args(() => DueCardsArgs) { at, filter, first, after, serve }: InstanceType<typeof DueCardsArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<CountedConnection<ServedCard> & Pick<DuePage, 'dueReviews' | 'doneToday'>> {
    const query = {
      ...parsePage({ first, after }),
      at: parseMoment(at, 'at'),
      filter: parseCardFilter(filter, 'filter'),
    };
    const isBySibling = parseServe(serve, query.first) === 'SIBLING';
    const page = await this.practice.due(viewer, query, signal);
    const cards = page.edges.map(({ node: { card } }) => card);
    // Up to 20 searches: together they may take longer than one.
    const siblings = isBySibling ? await this.ladders.siblings(viewer, cards, query.at, signal) : [];
    const edges = page.edges.map(({ cursor, node }, place) => ({
      cursor,
      node: { ...node, sibling: siblings[place] ?? null },
    }));
    const { dueReviews, doneToday } = page;
    return { ...countedConnectionOf({ ...page, edges }, query), dueReviews, doneToday };
  }

  @Query(() => [ReviewForecastDay], { description: 'Number of reviews that become due on each of the next days.' })
  reviewForecast(
    @Args(() => ReviewForecastArgs) { days, at }: InstanceType<typeof ReviewForecastArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<readonly ForecastDay[]> {
    return this.practice.forecast(viewer, parseDays(days, 'days'), parseMoment(at, 'at'), signal);
  }

  @Query(() => ReviewStatistics, { description: 'How many reviews of the last days were right.' })
  reviewStatistics(
    @Args(() => ReviewStatisticsArgs) { days, owner }: InstanceType<typeof ReviewStatisticsArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<Statistics> {
    const period = { days: parseDays(days, 'days'), at: new Date() };
    return this.practice.statistics(viewer, parseOwner(owner, 'owner') ?? viewer.ownerId, period, signal);
  }

  @Query(() => PracticeSettings, {
    description: 'The practice settings of a student; the defaults for one who has saved none.',
  })
  practiceSettings(
    @Args(() => PracticeSettingsArgs) { owner }: InstanceType<typeof PracticeSettingsArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<Settings> {
    return this.practice.settings(viewer, parseOwner(owner, 'owner') ?? viewer.ownerId);
  }

  @Mutation(() => PracticeSettings, { description: 'Changes the practice settings of the viewer.' })
  savePracticeSettings(
    @Arg('input', () => PracticeSettingsInput, { description: 'What to change.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<Settings> {
    return this.practice.saveSettings(viewer, parsePracticeSettings(input, 'input'));
  }

  @FieldResolver(() => CardReview, {
    nullable: true,
    description:
      'How well the viewer remembers the card, and when it is due; null if the viewer has not attempted it. Attempts make no new revision of the card, and are not in `changes`.',
  })
  review(@Root() { id }: Card, @Ctx() context: Context): Promise<Review | null> {
    return this.#reviewsOf(context).load(id);
  }
}
