import { GraphQLDateTime } from 'graphql-scalars';
import { Float, ID, Int } from 'type-graphql';
import type {
  AttemptOutcome,
  ReviewStep,
  FittedSchedule as Schedule,
  ServeMode,
  PracticeSettings as Settings,
} from '../../src/domain/practice.js';
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
import { field, graphqlEnum, nullable, outputType, twoWayTypes } from '../types.js';

const AttemptOutcomeEnum = graphqlEnum<AttemptOutcome>('AttemptOutcome', 'The outcome of an attempt that was sent.', {
  RECORDED: 'Stored.',
  REPEATED: 'Already stored: the same attempt with the same key.',
  CONFLICT: 'Not stored: its key belongs to another attempt.',
  CARD_NOT_FOUND: 'Not stored: there is no such card.',
});

const ReviewStepEnum = graphqlEnum<ReviewStep>('ReviewStep', 'The state of a card in the FSRS schedule.', {
  NEW: 'Never attempted.',
  LEARNING: 'First attempted, due again within minutes.',
  REVIEW: 'Due again in days, months or years.',
  RELEARNING: 'Forgotten in a review, due again within minutes.',
});

export const ServeModeEnum = graphqlEnum<ServeMode>('ServeMode', 'How a due card is practised.', {
  CARD: 'With the card itself.',
  SIBLING:
    'With another card that trains the same idea, if there is one, so that the student does not just remember the card.',
});

export const CardReview = outputType<Review, 'scheduledDays' | 'learningSteps'>(
  'CardReview',
  'How well a card is remembered, by FSRS.',
  {
    due: field(GraphQLDateTime, 'When it is due for review.'),
    dueOn: field(String, "The day on which it is due in the student's time zone, such as 2026-03-01."),
    state: field(ReviewStepEnum, 'Its state in the schedule.'),
    stability: field(Float, 'Days until the probability of remembering it falls to 0.9.'),
    difficulty: field(Float, 'How hard it is to remember, from 1 to 10.'),
    retrievability: field(Float, 'The probability that it is remembered at the requested time.'),
    reps: field(Int, 'How often it was attempted; at most 500.'),
    lapses: field(Int, 'How often it was forgotten, of the latest 500 attempts.'),
    lastReview: field(GraphQLDateTime, 'When it was last attempted.'),
  },
);

export const AttemptResult = outputType<RecordedAttempt>('AttemptResult', 'The outcome of an attempt that was sent.', {
  key: field(String, 'The key of the attempt.'),
  cardId: field(
    ID,
    'Its card; for a card that was merged, the one that it was merged into; for a deleted sibling, the card that it replaced.',
  ),
  outcome: field(AttemptOutcomeEnum, 'Whether it is stored.'),
  review: nullable(CardReview, 'The review state of the card after all attempts of the request; null if it has none.'),
});

const SiblingCard = outputType<Sibling>('SiblingCard', 'A card that trains the same idea as another one.', {
  card: field(MistakeCard, 'The card.'),
  verdict: field(VerdictEnum, 'How the two are related.'),
});

export interface ServedCard extends Due {
  readonly sibling: Sibling | null;
}

export const DueCard = outputType<ServedCard>('DueCard', 'A card to practise.', {
  card: field(MistakeCard, 'The card.'),
  review: nullable(CardReview, 'Null for a card that was never attempted.'),
  practisedToday: field(
    Boolean,
    'Whether the card itself was practised on this day, and `doneToday` counts it already.',
  ),
  sibling: nullable(
    SiblingCard,
    'With `serve: SIBLING` the card to practise instead, or null if there is none. Record its attempt with the id of the due card as `reviewOf`.',
  ),
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
    total:
      'Number of cards left to practise on this day, without those that are due again later than `at`, on all pages.',
  },
  {
    dueReviews: field(Int, 'Number of due reviews, including those beyond the daily limit.'),
    doneToday: field(Int, 'Number of cards that were practised on this day.'),
  },
);

export const ReviewForecastDay = outputType<ForecastDay>(
  'ReviewForecastDay',
  'Number of reviews that become due on a day.',
  {
    day: field(String, "The day in the student's time zone, such as 2026-03-01."),
    reviews: field(Int, 'The reviews of that day, whatever their time; those of today include overdue ones.'),
  },
);

const FittedSchedule = outputType<Schedule>(
  'FittedSchedule',
  "FSRS parameters fitted to a student's attempts, with their quality on the latest reviews, which were held out.",
  {
    isUsed: field(
      Boolean,
      'Whether cards are scheduled by them: only if they predict the held-out reviews better than the defaults.',
    ),
    reviews: field(Int, 'Number of reviews at that time, including the held-out ones.'),
    heldOutReviews: field(Int, 'Number of held-out reviews.'),
    defaultLogLoss: field(Float, 'Mean log loss of the default parameters on the held-out reviews.'),
    logLoss: field(Float, 'Mean log loss of the fitted parameters on the held-out reviews; lower is better.'),
    weights: field([Float], 'The 21 parameters of FSRS-6, in the order that other programs use.'),
    fittedAt: field(GraphQLDateTime, 'When they were fitted. They are fitted again after a fifth more reviews.'),
  },
);

export const ReviewStatistics = outputType<Statistics>('ReviewStatistics', 'Statistics of recent reviews.', {
  reviews: field(
    Int,
    "Number of reviews: attempts on a later day, in the student's time zone, than the previous attempt at the same card. One at a sibling counts for both cards.",
  ),
  right: field(Int, 'How many of these attempts were right.'),
  retention: nullable(Float, 'The share of right reviews; null without a review.'),
  low: nullable(Float, 'The lower end of its 95 % interval.'),
  high: nullable(Float, 'The upper end of its 95 % interval.'),
  desiredRetention: field(Float, 'The desired retention of the student.'),
  schedule: nullable(
    FittedSchedule,
    'The schedule fitted to the attempts of the student; null while there are too few reviews.',
  ),
});

export const { input: PracticeSettingsInput, output: PracticeSettings } = twoWayTypes<Settings>(
  {
    input: ['PracticeSettingsInput', 'Practice settings to change. Omitted fields are kept.'],
    output: ['PracticeSettings', 'The practice settings of a student.'],
  },
  {
    desiredRetention: field(Float, 'The recall probability at which a card becomes due.', {
      inputDescription:
        'The recall probability at which a card becomes due, from 0.7 to 0.97: higher means more reviews.',
    }),
    dailyLimit: field(Int, 'Cards per day; one that is due again on the same day counts once.', {
      inputDescription: 'Cards per day, from 1 to 500; one that is due again on the same day counts once.',
    }),
    newPerDay: field(Int, 'New cards per day, as part of dailyLimit.', {
      inputDescription: 'New cards per day, as part of dailyLimit, from 0 to 500.',
    }),
    timeZone: field(String, 'The time zone in which days begin and end.', {
      inputDescription: 'The IANA name of a time zone, such as Asia/Shanghai.',
    }),
  },
);
