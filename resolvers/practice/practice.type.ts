import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type {
  AttemptOutcome,
  ReviewStep,
  FittedSchedule as Schedule,
  PracticeSettings as Settings,
} from '../../src/domain/practice.js';
import type { Verdict } from '../../src/domain/search-result.js';
import type { Sibling } from '../../src/practice/ladder-service.js';
import { MistakeCard } from '../cards/card.type.js';
import { connectionType } from '../connection.js';
import { VerdictEnum } from '../enums.js';
import { addTwoWayFields } from '../two-way-fields.js';
import { AttemptOutcomeEnum, ReviewStepEnum } from './practice.enums.js';

@ObjectType({ description: 'How well a card is remembered, by FSRS.', simpleResolvers: true })
export class CardReview {
  @Field(() => GraphQLDateTime, { description: 'When it is due for review.' })
  due!: Date;

  @Field(() => String, { description: "The day on which it is due in the student's time zone, such as 2026-03-01." })
  dueOn!: string;

  @Field(() => ReviewStepEnum, { description: 'Its state in the schedule.' })
  state!: ReviewStep;

  @Field(() => Float, { description: 'Days until the probability of remembering it falls to 0.9.' })
  stability!: number;

  @Field(() => Float, { description: 'How hard it is to remember, from 1 to 10.' })
  difficulty!: number;

  @Field(() => Float, { description: 'The probability that it is remembered at the requested time.' })
  retrievability!: number;

  @Field(() => Int, { description: 'How often it was attempted.' })
  reps!: number;

  @Field(() => Int, { description: 'How often it was forgotten.' })
  lapses!: number;

  @Field(() => GraphQLDateTime, { description: 'When it was last attempted.' })
  lastReview!: Date;
}

@ObjectType({ description: 'The outcome of an attempt that was sent.', simpleResolvers: true })
export class AttemptResult {
  @Field(() => String, { description: 'The key of the attempt.' })
  key!: string;

  @Field(() => ID, { description: 'Its card; for a card that was merged, the one that it was merged into.' })
  cardId!: string;

  @Field(() => AttemptOutcomeEnum, { description: 'Whether it is stored.' })
  outcome!: AttemptOutcome;

  @Field(() => CardReview, {
    nullable: true,
    description: 'The review state of the card after all attempts of the request; null if it has none.',
  })
  review!: CardReview | null;
}

@ObjectType({ description: 'A card that trains the same idea as another one.', simpleResolvers: true })
export class SiblingCard {
  @Field(() => MistakeCard, { description: 'The card.' })
  card!: Card;

  @Field(() => VerdictEnum, { description: 'How the two are related.' })
  verdict!: Verdict;
}

@ObjectType({ description: 'A card to practise.', simpleResolvers: true })
export class DueCard {
  @Field(() => MistakeCard, { description: 'The card.' })
  card!: Card;

  @Field(() => CardReview, { nullable: true, description: 'Null for a card that was never attempted.' })
  review!: CardReview | null;

  @Field(() => SiblingCard, {
    nullable: true,
    description:
      'With `serve: SIBLING` the card to practise instead, or null if there is none. Record its attempt with the id of the due card as `reviewOf`.',
  })
  sibling!: Sibling | null;
}

@ObjectType({ description: 'A page of the cards to practise on one day.', simpleResolvers: true })
export class DueCardConnection extends connectionType<DueCard>('DueCard', DueCard, {
  one: 'entry',
  many: 'entries',
  edge: 'A card to practise and its place in the list.',
  cursor: 'The position in the list; it stays valid while cards are practised.',
  node: 'The card.',
}) {
  @Field(() => Int, { description: 'Number of cards left to practise on this day, on all pages.' })
  totalCount!: number;

  @Field(() => Int, { description: 'Number of due reviews, including those beyond the daily limit.' })
  dueReviews!: number;

  @Field(() => Int, { description: 'Number of cards that were practised on this day.' })
  doneToday!: number;
}

@ObjectType({ description: 'Number of reviews that become due on a day.', simpleResolvers: true })
export class ReviewForecastDay {
  @Field(() => String, { description: "The day in the student's time zone, such as 2026-03-01." })
  day!: string;

  @Field(() => Int, { description: 'The reviews of that day; those of today include overdue ones.' })
  reviews!: number;
}

@ObjectType({
  description:
    "FSRS parameters fitted to a student's attempts, with their quality on the latest reviews, which were held out.",
  simpleResolvers: true,
})
export class FittedSchedule {
  @Field(() => Boolean, {
    description:
      'Whether cards are scheduled by them: only if they predict the held-out reviews better than the defaults.',
  })
  isUsed!: boolean;

  @Field(() => Int, { description: 'Number of reviews at that time, including the held-out ones.' })
  reviews!: number;

  @Field(() => Int, { description: 'Number of held-out reviews.' })
  heldOutReviews!: number;

  @Field(() => Float, { description: 'Mean log loss of the default parameters on the held-out reviews.' })
  defaultLogLoss!: number;

  @Field(() => Float, {
    description: 'Mean log loss of the fitted parameters on the held-out reviews; lower is better.',
  })
  logLoss!: number;

  @Field(() => [Float], { description: 'The 21 parameters of FSRS-6, in the order that other programs use.' })
  weights!: readonly number[];

  @Field(() => GraphQLDateTime, {
    description: 'When they were fitted. They are fitted again after a fifth more reviews.',
  })
  fittedAt!: Date;
}

@ObjectType({ description: 'Statistics of recent reviews.', simpleResolvers: true })
export class ReviewStatistics {
  @Field(() => Int, {
    description:
      'Number of reviews: attempts on a later day (UTC) than the previous attempt at the same card. One at a sibling counts for both cards.',
  })
  reviews!: number;

  @Field(() => Int, { description: 'How many of these attempts were right.' })
  right!: number;

  @Field(() => Float, { nullable: true, description: 'The share of right reviews; null without a review.' })
  retention!: number | null;

  @Field(() => Float, { nullable: true, description: 'The lower end of its 95 % interval.' })
  low!: number | null;

  @Field(() => Float, { nullable: true, description: 'The upper end of its 95 % interval.' })
  high!: number | null;

  @Field(() => Float, { description: 'The desired retention of the student.' })
  desiredRetention!: number;

  @Field(() => FittedSchedule, {
    nullable: true,
    description: 'The schedule fitted to the attempts of the student; null while there are too few reviews.',
  })
  schedule!: Schedule | null;
}

@ObjectType({ description: 'The practice settings of a student.', simpleResolvers: true })
export class PracticeSettings {}

@InputType({ description: 'Practice settings to change. Omitted fields are kept.' })
export class PracticeSettingsInput {}

addTwoWayFields<Settings>(
  { input: PracticeSettingsInput, output: PracticeSettings },
  {
    desiredRetention: {
      type: Float,
      description: 'The recall probability at which a card becomes due.',
      inputDescription:
        'The recall probability at which a card becomes due, from 0.7 to 0.97: higher means more reviews.',
    },
    dailyLimit: {
      type: Int,
      description: 'Cards per day; one that is due again on the same day counts once.',
      inputDescription: 'Cards per day, from 1 to 500; one that is due again on the same day counts once.',
    },
    newPerDay: {
      type: Int,
      description: 'New cards per day, as part of dailyLimit.',
      inputDescription: 'New cards per day, as part of dailyLimit, from 0 to 500.',
    },
    timeZone: {
      type: String,
      description: 'The time zone in which days begin and end.',
      inputDescription: 'The IANA name of a time zone, such as Asia/Shanghai.',
    },
  },
);
