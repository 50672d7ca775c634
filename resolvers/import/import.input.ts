import { ArgsType, Field, ID, InputType } from 'type-graphql';
import type { OnDuplicate } from '../../src/domain/duplicates.js';
import { addCardFields } from '../cards/card-fields.js';
import { OnDuplicateEnum } from '../enums.js';

@InputType({
  description:
    'A card to import. Fields and required fields are those of CreateCardInput, but a row that lacks one or has an invalid one is reported, and the other rows are imported.',
})
export class ImportCardInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the card. If a card with this id exists, the row updates it. If the card belongs to another owner, the row fails if you may see that card, and otherwise gets a new id.',
  })
  id?: string | null;
}

addCardFields(ImportCardInput, { as: 'import', direction: 'input' });

/** How rows are imported. */
@ArgsType()
export class ImportCardsArgs {
  @Field(() => [ImportCardInput], { description: 'The cards to import: 1 to 500.' })
  rows!: ImportCardInput[];

  @Field(() => OnDuplicateEnum, {
    nullable: true,
    defaultValue: 'MERGE',
    description: 'How to handle rows whose question the owner already has.',
  })
  onDuplicate?: OnDuplicate | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Validates every row and stores nothing.',
  })
  dryRun?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description:
      'An idempotency key of 1 to 200 characters: a repeated request returns the result of the first and stores nothing again. CONFLICT if its rows or options differ.',
  })
  key?: string | null;
}
