/** How a student practises: attempts at cards, and what follows from them. */

/** An attempt at a card, as a client records it. */
export interface NewAttempt {
  /** The client's: an attempt with a key that its owner has used is the same attempt. */
  readonly key: string;
  readonly cardId: string;
  /** The due card that this one stood in for; null where it stood for itself. */
  readonly reviewOf: string | null;
  readonly at: Date;
  readonly correct: boolean;
  readonly hints: number;
  readonly durationMs: number | null;
  readonly changedAnswer: boolean;
  readonly answer: string | null;
}

/** Input of the schedule and of the mastery model. */
export type Attempt = Omit<NewAttempt, 'answer'>;

/** The cards whose review states an attempt affects. */
export function reviewedBy({ cardId, reviewOf }: Pick<Attempt, 'cardId' | 'reviewOf'>): readonly string[] {
  return reviewOf === null || reviewOf === cardId ? [cardId] : [cardId, reviewOf];
}

/** An attempt to record, and whose it is. */
export interface AttemptToRecord extends NewAttempt {
  /** Null: the viewer's. */
  readonly ownerId: string | null;
  /** Whether its time was given: else it is when it came, and sent again it is the same attempt. */
  readonly isDated: boolean;
  /** Whether a wrong attempt is one more occurrence of the mistake on the card. */
  readonly recordOccurrence: boolean;
}

/**
 * What became of an attempt: stored; there already; refused, because its owner has used the key for another attempt;
 * refused, because the viewer has no such card.
 */
export const ATTEMPT_OUTCOMES = ['RECORDED', 'REPEATED', 'CONFLICT', 'CARD_NOT_FOUND'] as const;
/** One of {@link ATTEMPT_OUTCOMES}. */
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The steps of FSRS. */
export const REVIEW_STATES = ['NEW', 'LEARNING', 'REVIEW', 'RELEARNING'] as const;
/** One of {@link REVIEW_STATES}. */
export type ReviewStep = (typeof REVIEW_STATES)[number];

/** The memory of one card by one student, after all attempts at it. */
export interface ReviewState {
  readonly due: Date;
  /** Days until the recall probability has fallen to 0.9. */
  readonly stability: number;
  /** 1 .. 10, as FSRS estimates it. */
  readonly difficulty: number;
  readonly scheduledDays: number;
  readonly learningSteps: number;
  readonly reps: number;
  readonly lapses: number;
  readonly state: ReviewStep;
  readonly lastReview: Date;
}

export interface AttemptResult {
  readonly key: string;
  readonly cardId: string;
  readonly outcome: AttemptOutcome;
  /** After all attempts of the request; null where there is none. */
  readonly review: ReviewState | null;
}

/** How a student wants to practise. */
export interface PracticeSettings {
  /** 0.7 .. 0.97 */
  readonly desiredRetention: number;
  /** Cards a day, new ones included: 1 .. 500. */
  readonly dailyLimit: number;
  /** Cards a day that were never attempted: 0 .. 500. */
  readonly newPerDay: number;
  /** An IANA name, in which days begin and end. */
  readonly timeZone: string;
}

/** FSRS's own retention; the limits are half an hour of work a day. */
export const DEFAULT_PRACTICE_SETTINGS: PracticeSettings = {
  desiredRetention: 0.9,
  dailyLimit: 50,
  newPerDay: 10,
  timeZone: 'UTC',
};

/** FSRS parameters fitted to a student's attempts, and what they were worth for reviews that were held out. */
export interface FittedSchedule {
  /** The 21 parameters of FSRS-6. */
  readonly weights: readonly number[];
  /** Whether the student's cards are scheduled by them. */
  readonly isUsed: boolean;
  /** Reviews at the time, those included that were held out. */
  readonly reviews: number;
  /** The latest ones. */
  readonly heldOutReviews: number;
  /** Mean log loss of the default parameters on them. */
  readonly defaultLogLoss: number;
  /** Of the fitted ones. */
  readonly logLoss: number;
  readonly fittedAt: Date;
}

/** How a due card is served: itself, or a card that trains the same. */
export const SERVE_MODES = ['CARD', 'SIBLING'] as const;
/** One of {@link SERVE_MODES}. */
export type ServeMode = (typeof SERVE_MODES)[number];

/** Labels of a card: what it trains, and what went wrong. */
export const LABEL_KINDS = ['TOPIC_TAG', 'ERROR_TYPE'] as const;
/** One of {@link LABEL_KINDS}. */
export type LabelKind = (typeof LABEL_KINDS)[number];

/** One time that a mistake was made. */
export interface Mistake {
  readonly at: Date;
  readonly errorTypes: readonly string[];
}

/** The fields of a card that overviews and the mastery model read; not its texts. */
export interface LabelledCard {
  readonly id: string;
  readonly ownerId: string;
  readonly difficulty: number;
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
  /** Equal for equal questions; null until it is computed. */
  readonly questionKey: string | null;
  /** In order of their numbers, at least one. */
  readonly mistakes: readonly Mistake[];
}
