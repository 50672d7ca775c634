import { z } from 'zod';
import type { BadInputError } from '../errors.js';
import type { LabelKind } from '../labels.js';
import { parse, tryParse } from './parse.js';
import { cardId, filledListOf, label } from './scalars.js';

/** As many as a page of cards may have. */
const MAX_ENTITIES = 100;

const labelKind = z
  .enum(['TOPIC_TAG', 'ERROR_TYPE'])
  .transform((name): LabelKind => (name === 'TOPIC_TAG' ? 'topicTags' : 'errorTypes'));

/** An ID of GraphQL may be written as a whole number. */
const id = z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), z.string());

const representation = z.discriminatedUnion(
  '__typename',
  [
    z.object({ __typename: z.literal('MistakeCard'), id }),
    z.object({ __typename: z.literal('Label'), kind: labelKind, name: z.string() }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be MistakeCard or Label' : undefined) },
);

/** What a federated gateway knows of a card or a label: its key. */
export type EntityKey = z.output<typeof representation>;

const representations = filledListOf(z.unknown(), MAX_ENTITIES);

/**
 * The entities that a federated gateway asks for: of each its key, null for a key that no entity can have, or why it is
 * no key. BadInputError if they are no list of 1 to 100.
 */
export function parseRepresentations(value: unknown): readonly (EntityKey | BadInputError | null)[] {
  return parse(representations, value, 'representations').map((one, place) => {
    const parsed = tryParse(representation, one, `representations[${place}]`);
    if ('problems' in parsed) return parsed.problems[0] as BadInputError;
    const key = parsed.data;
    if (key.__typename === 'MistakeCard') return cardId.safeParse(key.id).success ? key : null;
    const name = label.safeParse(key.name);
    return name.success ? { ...key, name: name.data } : null;
  });
}
