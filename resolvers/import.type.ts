import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { ImportState } from '../src/domain/import.js';
import { ImportStateEnum } from './enums.js';

@ObjectType({
  description:
    'Something to say of a row of an import. A row that was not imported has one for each thing that is wrong with it.',
  simpleResolvers: true,
})
export class ImportProblem {
  @Field(() => Boolean, {
    description: 'True where the row was not imported; false where it was, and this is to be known of it.',
  })
  failed!: boolean;

  @Field(() => String, { nullable: true, description: 'The sheet of a workbook; null for other files.' })
  sheet!: string | null;

  @Field(() => Int, {
    description: 'The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1.',
  })
  row!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The column, by its own header; null where it is the row as a whole.',
  })
  column!: string | null;

  @Field(() => String, { description: 'What is wrong, or what was done.' })
  reason!: string;
}

@ObjectType({
  description:
    'The import of a file, or of the rows of one request. Every row that was read is created, updated, merged, skipped or failed.',
  simpleResolvers: true,
})
export class ImportJob {
  @Field(() => ID, { description: 'Names the import.' })
  id!: string;

  @Field(() => String, { description: 'The name of the file as it was sent; "rows" for the rows of a request.' })
  name!: string;

  @Field(() => ImportStateEnum, { description: 'How far it is.' })
  state!: ImportState;

  @Field(() => String, { nullable: true, description: 'Why it was refused or has failed, or null.' })
  problem!: string | null;

  @Field(() => [String], {
    description: 'What was passed over in the file, such as columns that are no fields of a card.',
  })
  notices!: string[];

  @Field(() => Int, { nullable: true, description: 'How many rows the file has; null until it has been read once.' })
  total!: number | null;

  @Field(() => Int, { description: 'How many rows were dealt with.' })
  read!: number;

  @Field(() => Int, { description: 'Rows that became cards.' })
  created!: number;

  @Field(() => Int, { description: 'Rows that changed the card that they are about.' })
  updated!: number;

  @Field(() => Int, { description: 'Rows that became another occurrence of a card that asks the same question.' })
  merged!: number;

  @Field(() => Int, { description: 'Rows that were there already.' })
  skipped!: number;

  @Field(() => Int, { description: 'Rows that could not be imported; problems says why.' })
  failed!: number;

  @Field(() => GraphQLDateTime, { description: 'When it began.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it ended; null while it goes on.' })
  finishedAt!: Date | null;
}
