import type { LabelKind } from '../src/domain/labels.js';
import type { AttemptOutcome, ReviewStep, ServeMode } from '../src/domain/practice.js';
import { graphqlEnum } from './graphql-enum.js';

export const AttemptOutcomeEnum = graphqlEnum<AttemptOutcome>('AttemptOutcome', 'What became of an attempt.', {
  RECORDED: 'It is stored now.',
  REPEATED: 'It was there already: the same attempt with the same key.',
  CONFLICT: 'It is not stored: its key belongs to another attempt.',
  CARD_NOT_FOUND: 'It is not stored: there is no such card.',
});

export const ReviewStepEnum = graphqlEnum<ReviewStep>('ReviewStep', 'Where a card is in the schedule of FSRS.', {
  NEW: 'Never attempted.',
  LEARNING: 'Attempted, and to be seen again within minutes.',
  REVIEW: 'To be seen again in days, months or years.',
  RELEARNING: 'Forgotten in a review, and to be seen again within minutes.',
});

export const ServeModeEnum = graphqlEnum<ServeMode>('ServeMode', 'How a due card is practised.', {
  CARD: 'By the card itself.',
  SIBLING:
    'By another card that trains the same, where there is one: the idea is trained and not the memory of one card.',
});

const LABEL_KIND_NAMES: Readonly<Record<string, string>> = {
  topicTags: 'TOPIC_TAG',
  errorTypes: 'ERROR_TYPE',
} satisfies Record<LabelKind, string>;

export const LabelKindEnum = graphqlEnum<LabelKind>(
  'LabelKind',
  'The kinds of labels that cards have.',
  { topicTags: 'A knowledge point.', errorTypes: 'A kind of error.' },
  (kind) => LABEL_KIND_NAMES[kind] as string,
);
