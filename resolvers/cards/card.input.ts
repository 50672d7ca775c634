import { ArgsType, Field, ID, InputType, Int } from 'type-graphql';
import { addCardFields } from './card-fields.js';

@InputType({
  description:
    'A card to create. Texts are kept as they are, up to 16384 bytes of UTF-8 each. An empty text is an error: omit the field, or pass null.',
})
export class CreateCardInput {
  @Field(() => ID, {
    nullable: true,
    description:
      "The client's own id: 1 to 100 letters, digits, dots, underscores, colons or hyphens, the first one a letter or a digit. If omitted, the server generates one; an id that exists is a CONFLICT.",
  })
  id?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The student whose mistake it is: 1 to 200 characters. By default you; teachers and admins may name others.',
  })
  owner?: string | null;
}

addCardFields(CreateCardInput, { as: 'create', direction: 'input' });

@InputType({
  description:
    'A change to a card: an omitted field is kept, and null clears an optional one. At least one field must be given.',
})
export class UpdateCardInput {}

addCardFields(UpdateCardInput, { as: 'update', direction: 'input' });

/** The arguments of updateCard. */
@ArgsType()
export class UpdateCardArgs {
  @Field(() => ID, { description: 'The card to change; NOT_FOUND if there is none.' })
  id!: string;

  @Field(() => UpdateCardInput, { description: 'What to change.' })
  input!: UpdateCardInput;

  @Field(() => Int, {
    nullable: true,
    description:
      'The revision that the change is based on, at least 1: CONFLICT if the card has another revision by now. If omitted, the card is changed whatever its revision is.',
  })
  expectedRevision?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Waits up to 5 seconds until searches find the changed card; index.state says whether they do.',
  })
  waitForIndex!: boolean | null;
}
