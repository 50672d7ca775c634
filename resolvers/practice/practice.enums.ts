import type { LabelKind } from '../../src/domain/labels.js';
import type { AttemptOutcome, ReviewStep, ServeMode } from '../../src/domain/practice.js';
import { graphqlEnum } from '../types.js';

export const AttemptOutcomeEnum = graphqlEnum<AttemptOutcome>(
  'AttemptOutcome',
  'The outcome of an attempt that was sent.',
  {
    RECORDED: 'Stored.',
    REPEATED: 'Already stored: the same attempt with the same key.',
    CONFLICT: 'Not stored: its key belongs to another attempt.',
    CARD_NOT_FOUND: 'Not stored: there is no such card.',
  },
);

export const ReviewStepEnum = graphqlEnum<ReviewStep>('ReviewStep', 'The state of a card in the FSRS schedule.', {
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
