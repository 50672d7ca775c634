/** How a student practises: attempts at cards, and what follows from them. */

/** Values of the fields of an attempt, by kind; their limits are those of the parser. */
interface AttemptValues {
  readonly name: string;
  /** The id of a student. */
  readonly owner: string;
  readonly card: string;
  readonly text: string;
  readonly flag: boolean;
  readonly hints: number;
  readonly milliseconds: number;
  readonly moment: Date;
}
export type AttemptKind = keyof AttemptValues;

interface AttemptField {
  readonly kind: AttemptKind;
  /** What stands for a value that the client leaves out; without it, the client must send one. */
  readonly absent?: null | false | 0;
  /** In the GraphQL schema. */
  readonly about: string;
}

/**
 * Every field of an attempt that clients send, declared once. Types, the parser, the input of GraphQL and the columns
 * of imported files are derived from it.
 */
export const ATTEMPT_FIELDS = {
  key: {
    kind: 'name',
    about:
      'Idempotency key of the attempt, unique for its student: 1 to 200 characters. Sent again, it is stored once.',
  },
  cardId: { kind: 'card', about: 'The card.' },
  reviewOf: {
    kind: 'card',
    absent: null,
    about: 'The due card that this card replaced as its sibling; the attempt also counts for the review of that card.',
  },
  correct: { kind: 'flag', about: 'Whether the answer was right.' },
  hints: { kind: 'hints', absent: 0, about: 'How many hints were taken, at most 1000. By default 0.' },
  durationMs: {
    kind: 'milliseconds',
    absent: null,
    about: 'How long it took, in milliseconds; at most a day.',
  },
  changedAnswer: { kind: 'flag', absent: false, about: 'Whether the answer was changed. By default false.' },
  answer: { kind: 'text', absent: null, about: 'The answer of the student: up to 16384 bytes of UTF-8.' },
  at: {
    kind: 'moment',
    absent: null,
    about: 'When it was made; by default now. Attempts may be sent in any order, at most a day in the future.',
  },
  ownerId: { kind: 'owner', absent: null, about: 'The student; only admins may record attempts of others.' },
  recordOccurrence: {
    kind: 'flag',
    absent: false,
    about:
      "Whether a wrong attempt at one's own card is also an occurrence of its mistake: see occurrencesOf. By default false.",
  },
} as const satisfies Readonly<Record<string, AttemptField>>;

type Fields = typeof ATTEMPT_FIELDS;

/** An attempt as a client sends it. */
export type SentAttempt = {
  readonly [Name in keyof Fields]:
    | AttemptValues[Fields[Name]['kind']]
    | (Fields[Name] extends { readonly absent: null } ? null : never);
};

/** An attempt to record. Without an owner it is the viewer's. */
export interface AttemptToRecord extends Omit<SentAttempt, 'at'> {
  readonly at: Date;
  /** Whether its time was given: else it is when it came, and sent again it is the same attempt. */
  readonly isDated: boolean;
}

export type StoredAttempt = Omit<AttemptToRecord, 'ownerId' | 'isDated' | 'recordOccurrence'>;

/** Input of the schedule and of the mastery model. */
export type Attempt = Omit<StoredAttempt, 'answer'>;

/** The cards whose review states an attempt affects. */
export function reviewedBy({ cardId, reviewOf }: Pick<Attempt, 'cardId' | 'reviewOf'>): readonly string[] {
  return reviewOf === null || reviewOf === cardId ? [cardId] : [cardId, reviewOf];
}

/**
 * What became of an attempt: stored; there already; refused, because its owner has used the key for another attempt;
 * refused, because the viewer has no such card.
 */
export const ATTEMPT_OUTCOMES = ['RECORDED', 'REPEATED', 'CONFLICT', 'CARD_NOT_FOUND'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export type ReviewStep = 'NEW' | 'LEARNING' | 'REVIEW' | 'RELEARNING';

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
  /** After all attempts of the request; null if there is none. */
  readonly review: ReviewState | null;
}

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

/** FSRS parameters fitted to a student's attempts, and their quality on held-out reviews. */
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
export type ServeMode = (typeof SERVE_MODES)[number];

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
