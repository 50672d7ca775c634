import { GraphQLDateTime } from 'graphql-scalars';
import { Float, ID, Int } from 'type-graphql';
import type { CardDifficulty as NeighbourDifficulty } from '../../src/practice/card-difficulty.js';
import type { Ladder } from '../../src/practice/ladder-service.js';
import type { Mastery as LabelMastery } from '../../src/practice/mastery-service.js';
import { MistakeCard } from '../cards/card.type.js';
import { connectionType } from '../connection.js';
import { PerspectiveEnum, VerdictEnum } from '../enums.js';
import { outputType } from '../types.js';
import { LabelKindEnum } from './practice.enums.js';

export const Mastery = outputType<LabelMastery>('Mastery', 'How well a student masters a topic or avoids an error.', {
  kind: { type: LabelKindEnum, description: 'Whether it is a topic tag or an error type.' },
  name: { type: String, description: 'The label.' },
  ability: {
    type: Float,
    description: 'The ability: the probability of solving a card of medium difficulty with this label, from 0 to 1.',
  },
  low: { type: Float, description: 'The lower end of the 95 % interval of the ability.' },
  high: { type: Float, description: 'The upper end of the 95 % interval of the ability.' },
  successProbability: {
    type: Float,
    description:
      'The probability of solving the next such card, in which recent answers count for more than in the ability.',
  },
  attempts: { type: Int, description: 'Number of attempts at cards with this label.' },
  right: { type: Int, description: 'How many of these attempts were right.' },
  lastAt: { type: GraphQLDateTime, description: 'When the last attempt was made.' },
});

export const MasteryConnection = connectionType('Mastery', Mastery, {
  description: 'A page of the mastery of a student, the weakest first.',
  one: 'entry',
  many: 'entries',
  edge: 'An entry and its place in the list.',
  total: 'Number of entries on all pages.',
});

const LadderRung = outputType<Ladder['rungs'][number], 'probability'>(
  'LadderRung',
  'A card of a ladder.',
  {
    card: { type: MistakeCard, description: 'The card.' },
    verdict: { type: VerdictEnum, description: 'How it is related to the mistake.' },
    perspective: { type: PerspectiveEnum, description: 'The perspective in which it was found.' },
    isLevelDown: {
      type: Boolean,
      description: 'True for an easier question about the same idea, inserted because its prerequisites look weak.',
    },
    reason: { type: String, description: 'Why it is part of the ladder.' },
  },
  {
    successProbability: {
      type: Float,
      description: 'The probability that the student solves it.',
      of: ({ probability }) => probability,
    },
  },
);

export const PracticeLadder = outputType<Ladder>('PracticeLadder', 'Cards that train a mistake, from easy to hard.', {
  rungs: { type: [LadderRung], description: 'The rungs; no two of them ask the same question.' },
  missing: { type: [String], description: 'What the notebook lacks for a better ladder; empty if it lacks nothing.' },
});

export const CardDifficulty = outputType<NeighbourDifficulty>(
  'CardDifficulty',
  'The difficulty of a card, estimated from its most similar cards.',
  {
    estimate: {
      type: Float,
      description: 'The estimate, from 1 (easiest) to 5: the mean of the neighbours, weighted by similarity.',
    },
    spread: { type: Float, description: 'The standard deviation of the neighbours.' },
    neighbourIds: { type: [ID], description: 'The neighbours, at most ten, the most similar one first.' },
    attempts: {
      type: Int,
      description:
        'Number of attempts at the neighbours that the viewer may see; they adjust the grades of the neighbours.',
    },
    right: { type: Int, description: 'How many of these attempts were right.' },
  },
);
