import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import type { ImportJob as Job, RowProblem } from '../../src/domain/import.js';
import { connectionType } from '../connection.js';
import { ImportStateEnum } from '../enums.js';
import { field, nullable, outputType } from '../types.js';

export const ImportProblem = outputType<RowProblem>(
  'ImportProblem',
  'A problem of a row of an import. A row that was not imported has one for each invalid value.',
  {
    failed: field(Boolean, 'True if the row was not imported; false if it was imported with this remark.'),
    sheet: nullable(String, 'The sheet of a workbook; null for other files.'),
    row: field(
      Int,
      'The row of a table, the line of a JSON Lines file, or the entry of a JSON list; the first one is 1.',
    ),
    column: nullable(String, 'The header of the column; null for the row as a whole.'),
    reason: field(String, 'The problem, or what was changed.'),
    content: nullable(
      String,
      'What the row says, on one line of at most 200 characters; null if it was imported or could not be read.',
    ),
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
    id: field(ID, 'The id of the import.'),
    name: field(String, 'The name of the file as it was sent; "rows" for the rows of a request.'),
    state: field(ImportStateEnum, 'The state of the import.'),
    problem: nullable(String, 'Why it was refused or failed, or null.'),
    notices: field([String], 'Skipped parts of the file, such as columns that are not fields of a card.'),
    total: nullable(Int, 'Number of rows of the file; null until it has been read once.'),
    read: field(Int, 'Number of rows processed.'),
    created: field(Int, 'Rows that became cards.'),
    updated: field(Int, 'Rows that updated a card.'),
    merged: field(Int, 'Rows that became another occurrence of a card that asks the same question.'),
    skipped: field(Int, 'Rows that already existed.'),
    failed: field(Int, 'Rows that could not be imported, for the reasons in `rowProblems`.'),
    createdAt: field(GraphQLDateTime, 'When it started.'),
    finishedAt: nullable(GraphQLDateTime, 'When it ended; null while it is running.'),
  },
);
