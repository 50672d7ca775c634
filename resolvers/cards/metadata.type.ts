import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType({ description: 'What an app stores with a card: a key with its value.', simpleResolvers: true })
export class MetadataEntry {
  @Field(() => String, { description: 'The key.' })
  key!: string;

  @Field(() => String, { description: 'The value.' })
  value!: string;
}

@InputType({ description: 'A key with its value.' })
export class MetadataInput {
  @Field(() => String, { description: 'The key: 1 to 100 characters.' })
  key!: string;

  @Field(() => String, { description: 'The value: 1 to 1000 characters.' })
  value!: string;
}
