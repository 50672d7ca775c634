import { GraphQLDateTime } from 'graphql-scalars';
import { Float, ID, Int } from 'type-graphql';
import type { FittedSchedule as Schedule, PracticeSettings as Settings } from '../../src/domain/practice.js';
import type { Sibling } from '../../src/practice/ladder-service.js';
import type {
  DueCard as Due,
  DuePage,
  ForecastDay,
  RecordedAttempt,
  CardReview as Review,
  ReviewStatistics as Statistics,
} from '../../src/practice/practice-service.js';
import { MistakeCard } from '../cards/card.type.js';
import { connectionType } from '../connection.js';
import { VerdictEnum } from '../enums.js';
import { outputType, twoWayTypes } from '../types.js';
import { AttemptOutcomeEnum, ReviewStepEnum } from './practice.enums.js';

const CardReview = outputType<Review, 'scheduledDays' | 'learningSteps'>(
  'CardReview',
  'How well a card is remembered, by FSRS.',
  {
    due: { type: GraphQLDateTime, description: 'When it is due for review.' },
    dueOn: { type: String, description: "The day on which it is due in the student's time zone, such as 2026-03-01." },
    state: { type: ReviewStepEnum, description: 'Its state in the schedule.' },
    stability: { type: Float, description: 'Days until the probability of remembering it falls to 0.9.' },
    difficulty: { type: Float, description: 'How hard it is to remember, from 1 to 10.' },
    retrievability: { type: Float, description: 'The probability that it is remembered at the requested time.' },
    reps: { type: Int, description: 'How often it was attempted.' },
    lapses: { type: Int, description: 'How often it was forgotten.' },
    lastReview: { type: GraphQLDateTime, description: 'When it was last attempted.' },
  },
);

export const AttemptResult = outputType<RecordedAttempt>('AttemptResult', 'The outcome of an attempt that was sent.', {
  key: { type: String, description: 'The key of the attempt.' },
  cardId: { type: ID, description: 'Its card; for a card that was merged, the one that it was merged into.' },
  outcome: { type: AttemptOutcomeEnum, description: 'Whether it is stored.' },
  review: {
    type: CardReview,
    nullable: true,
    description: 'The review state of the card after all attempts of the request; null if it has none.',
  },
});

const SiblingCard = outputType<Sibling>('SiblingCard', 'A card that trains the same idea as another one.', {
  card: { type: MistakeCard, description: 'The card.' },
  verdict: { type: VerdictEnum, description: 'How the two are related.' },
});

/** A card to practise, and the one that may be practised instead. */
export interface ServedCard extends Due {
  readonly sibling: Sibling | null;
}

export const DueCard = outputType<ServedCard>('DueCard', 'A card to practise.', {
  card: { type: MistakeCard, description: 'The card.' },
  review: { type: CardReview, nullable: true, description: 'Null for a card that was never attempted.' },
  sibling: {
    type: SiblingCard,
    nullable: true,
    description:
      'With `serve: SIBLING` the card to practise instead, or null if there is none. Record its attempt with the id of the due card as `reviewOf`.',
  },
});

export const DueCardConnection = connectionType<Pick<DuePage, 'dueReviews' | 'doneToday'>>(
  'DueCard',
  DueCard,
  {
    description: 'A page of the cards to practise on one day.',
    one: 'entry',
    many: 'entries',
    edge: 'A card to practise and its place in the list.',
    cursor: 'The position in the list; it stays valid while cards are practised.',
    node: 'The card.',
    total: 'Number of cards left to practise on this day, on all pages.',
  },
  {
    dueReviews: { type: Int, description: 'Number of due reviews, including those beyond the daily limit.' },
    doneToday: { type: Int, description: 'Number of cards that were practised on this day.' },
  },
);

export const ReviewForecastDay = outputType<ForecastDay>(
  'ReviewForecastDay',
  'Number of reviews that become due on a day.',
  {
    day: { type: String, description: "The day in the student's time zone, such as 2026-03-01." },
    reviews: { type: Int, description: 'The reviews of that day; those of today include overdue ones.' },
  },
);

const FittedSchedule = outputType<Schedule>(
  'FittedSchedule',
  "FSRS parameters fitted to a student's attempts, with their quality on the latest reviews, which were held out.",
  {
    isUsed: {
      type: Boolean,
      description:
        'Whether cards are scheduled by them: only if they predict the held-out reviews better than the defaults.',
    },
    reviews: { type: Int, description: 'Number of reviews at that time, including the held-out ones.' },
    heldOutReviews: { type: Int, description: 'Number of held-out reviews.' },
    defaultLogLoss: { type: Float, description: 'Mean log loss of the default parameters on the held-out reviews.' },
    logLoss: {
      type: Float,
      description: 'Mean log loss of the fitted parameters on the held-out reviews; lower is better.',
    },
    weights: { type: [Float], description: 'The 21 parameters of FSRS-6, in the order that other programs use.' },
    fittedAt: {
      type: GraphQLDateTime,
      description: 'When they were fitted. They are fitted again after a fifth more reviews.',
    },
  },
);

export const ReviewStatistics = outputType<Statistics>('ReviewStatistics', 'Statistics of recent reviews.', {
  reviews: {
    type: Int,
    description:
      'Number of reviews: attempts on a later day (UTC) than the previous attempt at the same card. One at a sibling counts for both cards.',
  },
  right: { type: Int, description: 'How many of these attempts were right.' },
  retention: { type: Float, nullable: true, description: 'The share of right reviews; null without a review.' },
  low: { type: Float, nullable: true, description: 'The lower end of its 95 % interval.' },
  high: { type: Float, nullable: true, description: 'The upper end of its 95 % interval.' },
  desiredRetention: { type: Float, description: 'The desired retention of the student.' },
  schedule: {
    type: FittedSchedule,
    nullable: true,
    description: 'The schedule fitted to the attempts of the student; null while there are too few reviews.',
  },
});

export const { input: PracticeSettingsInput, output: PracticeSettings } = twoWayTypes<Settings>(
  {
    input: ['PracticeSettingsInput', 'Practice settings to change. Omitted fields are kept.'],
    output: ['PracticeSettings', 'The practice settings of a student.'],
  },
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
