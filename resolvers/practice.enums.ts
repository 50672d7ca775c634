import { registerEnumType } from 'type-graphql';
import type { LabelKind as LabelField } from '../src/domain/labels.js';
import type { AttemptOutcome, LabelKind, ReviewStep, ServeMode } from '../src/domain/practice.js';

export const AttemptOutcomeEnum = {
  RECORDED: 'RECORDED',
  REPEATED: 'REPEATED',
  CONFLICT: 'CONFLICT',
  CARD_NOT_FOUND: 'CARD_NOT_FOUND',
} as const satisfies Record<AttemptOutcome, AttemptOutcome>;

registerEnumType(AttemptOutcomeEnum, {
  name: 'AttemptOutcome',
  description: 'What became of an attempt.',
  valuesConfig: {
    RECORDED: { description: 'It is stored now.' },
    REPEATED: { description: 'It was there already: the same attempt with the same key.' },
    CONFLICT: { description: 'It is not stored: its key belongs to another attempt.' },
    CARD_NOT_FOUND: { description: 'It is not stored: there is no such card.' },
  },
});

export const ReviewStepEnum = {
  NEW: 'NEW',
  LEARNING: 'LEARNING',
  REVIEW: 'REVIEW',
  RELEARNING: 'RELEARNING',
} as const satisfies Record<ReviewStep, ReviewStep>;

registerEnumType(ReviewStepEnum, {
  name: 'ReviewStep',
  description: 'Where a card is in the schedule of FSRS.',
  valuesConfig: {
    NEW: { description: 'Never attempted.' },
    LEARNING: { description: 'Attempted, and to be seen again within minutes.' },
    REVIEW: { description: 'To be seen again in days, months or years.' },
    RELEARNING: { description: 'Forgotten in a review, and to be seen again within minutes.' },
  },
});

export const ServeModeEnum = {
  CARD: 'CARD',
  SIBLING: 'SIBLING',
} as const satisfies Record<ServeMode, ServeMode>;

registerEnumType(ServeModeEnum, {
  name: 'ServeMode',
  description: 'How a due card is practised.',
  valuesConfig: {
    CARD: { description: 'By the card itself.' },
    SIBLING: {
      description:
        'By another card that trains the same, where there is one: the idea is trained and not the memory of one card.',
    },
  },
});

export const LabelKindEnum = {
  TOPIC_TAG: 'TOPIC_TAG',
  ERROR_TYPE: 'ERROR_TYPE',
} as const satisfies Record<LabelKind, LabelKind>;

registerEnumType(LabelKindEnum, {
  name: 'LabelKind',
  description: 'The kinds of labels that cards have.',
  valuesConfig: {
    TOPIC_TAG: { description: 'A knowledge point.' },
    ERROR_TYPE: { description: 'A kind of error.' },
  },
});

/** The field of the cards that carry labels of the kind. */
export const LABEL_FIELDS = { TOPIC_TAG: 'topicTags', ERROR_TYPE: 'errorTypes' } as const satisfies Record<
  LabelKind,
  LabelField
>;
