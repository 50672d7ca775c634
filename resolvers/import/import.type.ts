import { GraphQLDateTime } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { ImportState } from '../../src/domain/import.js';
import { connectionType } from '../connection.js';
import { ImportStateEnum } from '../enums.js';

@ObjectType({
  description: 'A problem of a row of an import. A row that was not imported has one for each invalid value.',
  simpleResolvers: true,
})
export class ImportProblem {
  @Field(() => Boolean, {
    description: 'True if the row was not imported; false if it was imported with this remark.',
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
    description: 'The header of the column; null for the row as a whole.',
  })
  column!: string | null;

  @Field(() => String, { description: 'The problem, or what was changed.' })
  reason!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'What the row says, on one line of at most 200 characters; null if it was imported or could not be read.',
  })
  content!: string | null;
}

@ObjectType({ description: 'A page of the problems of an import, as a Relay connection.', simpleResolvers: true })
export class ImportProblemConnection extends connectionType<ImportProblem>('ImportProblem', ImportProblem, {
  one: 'problem',
  many: 'problems',
}) {}

@ObjectType({
  description:
    'The import of a file, or of the rows of one request. Every row is created, updated, merged, skipped or failed.',
  simpleResolvers: true,
})
export class ImportJob {
  @Field(() => ID, { description: 'The id of the import.' })
  id!: string;

  @Field(() => String, { description: 'The name of the file as it was sent; "rows" for the rows of a request.' })
  name!: string;

  @Field(() => ImportStateEnum, { description: 'The state of the import.' })
  state!: ImportState;

  @Field(() => String, { nullable: true, description: 'Why it was refused or failed, or null.' })
  problem!: string | null;

  @Field(() => [String], {
    description: 'Skipped parts of the file, such as columns that are not fields of a card.',
  })
  notices!: string[];

  @Field(() => Int, { nullable: true, description: 'Number of rows of the file; null until it has been read once.' })
  total!: number | null;

  @Field(() => Int, { description: 'Number of rows processed.' })
  read!: number;

  @Field(() => Int, { description: 'Rows that became cards.' })
  created!: number;

  @Field(() => Int, { description: 'Rows that updated a card.' })
  updated!: number;

  @Field(() => Int, { description: 'Rows that became another occurrence of a card that asks the same question.' })
  merged!: number;

  @Field(() => Int, { description: 'Rows that already existed.' })
  skipped!: number;

  @Field(() => Int, { description: 'Rows that could not be imported, for the reasons in `rowProblems`.' })
  failed!: number;

  @Field(() => GraphQLDateTime, { description: 'When it started.' })
  createdAt!: Date;

  @Field(() => GraphQLDateTime, { nullable: true, description: 'When it ended; null while it is running.' })
  finishedAt!: Date | null;
}
