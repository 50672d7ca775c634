import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import type { ImportJob as Job, RowProblem } from '../../src/domain/import.js';
import { connectionType } from '../connection.js';
import { ImportStateEnum } from '../enums.js';
import { outputType } from '../types.js';

export const ImportProblem = outputType<RowProblem>(
  'ImportProblem',
  'A problem of a row of an import. A row that was not imported has one for each invalid value.',
  {
    failed: {
      type: Boolean,
      description: 'True if the row was not imported; false if it was imported with this remark.',
    },
    sheet: { type: String, nullable: true, description: 'The sheet of a workbook; null for other files.' },
    row: {
      type: Int,
      description:
        'The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1.',
    },
    column: { type: String, nullable: true, description: 'The header of the column; null for the row as a whole.' },
    reason: { type: String, description: 'The problem, or what was changed.' },
    content: {
      type: String,
      nullable: true,
      description:
        'What the row says, on one line of at most 200 characters; null if it was imported or could not be read.',
    },
  },
);

export const ImportProblemConnection = connectionType('ImportProblem', ImportProblem, {
  description: 'A page of the problems of an import, as a Relay connection.',
  one: 'problem',
  many: 'problems',
});

export const ImportJob = outputType<Job, 'format' | 'options'>(
  'ImportJob',
  'The import of a file, or of the rows of one request. Every row is created, updated, merged, skipped or failed.',
  {
    id: { type: ID, description: 'The id of the import.' },
    name: { type: String, description: 'The name of the file as it was sent; "rows" for the rows of a request.' },
    state: { type: ImportStateEnum, description: 'The state of the import.' },
    problem: { type: String, nullable: true, description: 'Why it was refused or failed, or null.' },
    notices: {
      type: [String],
      description: 'Skipped parts of the file, such as columns that are not fields of a card.',
    },
    total: { type: Int, nullable: true, description: 'Number of rows of the file; null until it has been read once.' },
    read: { type: Int, description: 'Number of rows processed.' },
    created: { type: Int, description: 'Rows that became cards.' },
    updated: { type: Int, description: 'Rows that updated a card.' },
    merged: { type: Int, description: 'Rows that became another occurrence of a card that asks the same question.' },
    skipped: { type: Int, description: 'Rows that already existed.' },
    failed: { type: Int, description: 'Rows that could not be imported, for the reasons in `rowProblems`.' },
    createdAt: { type: GraphQLDateTime, description: 'When it started.' },
    finishedAt: { type: GraphQLDateTime, nullable: true, description: 'When it ended; null while it is running.' },
  },
);
