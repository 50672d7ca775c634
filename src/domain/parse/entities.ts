import { z } from 'zod';
import type { LabelKind } from '../labels.js';
import { parse } from './parse.js';
import { cardId, label } from './scalars.js';

/** As many as a page of cards may have. */
const MAX_ENTITIES = 100;

const labelKind = z
  .enum(['TOPIC_TAG', 'ERROR_TYPE'])
  .transform((name): LabelKind => (name === 'TOPIC_TAG' ? 'topicTags' : 'errorTypes'));

const representation = z.discriminatedUnion('__typename', [
  z.object({ __typename: z.literal('MistakeCard'), id: cardId }),
  z.object({ __typename: z.literal('Label'), kind: labelKind, name: label }),
]);

/** What a federated gateway knows of a card or a label: its key. */
export type EntityKey = z.output<typeof representation>;

const representations = z
  .array(representation)
  .min(1, 'must not be empty')
  .max(MAX_ENTITIES, `must have at most ${MAX_ENTITIES} entries`);

/** The entities that a federated gateway asks for. BadInputError. */
export function parseRepresentations(value: unknown): readonly EntityKey[] {
  return parse(representations, value, 'representations');
}
