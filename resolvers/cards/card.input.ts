import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import type { CardOrder } from '../../src/domain/ports/cards.js';
import { pageFields } from '../connection.js';
import { argsType, field, graphqlEnum, inputType, nullable } from '../types.js';
import { cardFields } from './card-fields.js';
import { CardFilter } from './card-filter.input.js';

export const CreateCardInput = inputType(
  'CreateCardInput',
  'A card to create. Texts are kept as they are, up to 16384 bytes of UTF-8 each. An empty text is an error: omit the field, or pass null.',
  {
    id: nullable(
      ID,
      "The client's own id: 1 to 100 letters, digits, dots, underscores, colons or hyphens, the first one a letter or a digit. If omitted, the server generates one; an id that exists is a CONFLICT.",
    ),
    owner: nullable(
      ID,
      'The student whose mistake it is: 1 to 200 characters. By default you; teachers and admins may name others.',
    ),
    ...cardFields('create'),
  },
);

export const UpdateCardInput = inputType(
  'UpdateCardInput',
  'A change to a card: an omitted field is kept, and null clears an optional one. At least one field must be given.',
  cardFields('update'),
);

export const UpdateCardArgs = argsType({
  id: field(ID, 'The card to change; NOT_FOUND if there is none.'),
  input: field(UpdateCardInput, 'What to change.'),
  expectedRevision: nullable(
    Int,
    'The revision that the change is based on, at least 1: CONFLICT if the card has another revision by now. If omitted, the card is changed whatever its revision is.',
  ),
  waitForIndex: nullable(
    Boolean,
    'Waits up to 5 seconds until searches find the changed card; index.state says whether they do.',
    { defaultValue: false },
  ),
});

const CardOrderFieldEnum = graphqlEnum<CardOrder['field']>('CardOrderField', 'The order of a list of cards.', {
  CREATED: 'When the card was created.',
  UPDATED: 'When the card was last changed; a card that changes moves in the list.',
  OCCURRED: 'When the mistake was made.',
  DIFFICULTY: 'How hard the question is.',
});

const OrderDirectionEnum = graphqlEnum<CardOrder['direction']>('OrderDirection', 'The direction of a list.', {
  ASC: 'Earliest, or easiest, first.',
  DESC: 'Latest, or hardest, first.',
});

const CardOrderInput = inputType(
  'CardOrderInput',
  'The order of a list of cards; equal ones are ordered by their ids.',
  {
    field: field(CardOrderFieldEnum, 'What to order by.'),
    direction: nullable(OrderDirectionEnum, 'The direction.', { defaultValue: 'DESC' }),
  },
);

export const CardsArgs = argsType({
  ...pageFields(20, 'The endCursor of the previous page, of the same list. By default the first page.'),
  filter: nullable(CardFilter, 'Which cards to list; all by default.'),
  updatedAfter: nullable(GraphQLDateTime, 'Only cards that were changed at this time or later.'),
  orderBy: nullable(CardOrderInput, 'The order of the list; newest first by default.'),
});
