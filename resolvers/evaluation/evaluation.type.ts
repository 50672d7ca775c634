import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import type { EvaluationJob } from '../../src/domain/ports/evaluation.js';
import { outputType } from '../types.js';
import { EvaluationStateEnum } from './evaluation.enums.js';

export const Evaluation = outputType<EvaluationJob>(
  'Evaluation',
  'An evaluation of search on a golden set, with its report when it is done.',
  {
    id: { type: ID, description: 'The id of the evaluation.' },
    set: { type: String, description: 'The golden set that is measured.' },
    profile: { type: String, description: 'The search profile that is measured.' },
    against: { type: String, nullable: true, description: 'The profile that it is compared with.' },
    k: { type: Int, description: 'Hits requested in each case.' },
    state: { type: EvaluationStateEnum, description: 'The state of the evaluation.' },
    done: { type: Int, description: 'How many cases have been measured.' },
    total: { type: Int, description: 'How many cases there are.' },
    error: { type: String, nullable: true, description: 'Why it failed.' },
    createdAt: { type: GraphQLDateTime, description: 'When it started.' },
    finishedAt: { type: GraphQLDateTime, nullable: true, description: 'When it ended.' },
  },
);
