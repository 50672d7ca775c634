import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { ImportedRow, ImportJob as Job, RowOutcome, RowProblem } from '../../src/domain/import.js';
import {
  parseImportKey,
  parseImportOptions,
  parseProblemPage,
  parseRequestRows,
} from '../../src/domain/parse/import.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { ImportJobStore } from '../../src/domain/ports/imports.js';
import type { Importer } from '../../src/exchange/import/importer.js';
import type { RequestImporter } from '../../src/exchange/import/request-importer.js';
import { cardFields } from '../cards/card-fields.js';
import {
  type Connection,
  type CountedConnection,
  connectionType,
  pageFields,
  placeAfter,
  placedConnection,
} from '../connection.js';
import type { Context } from '../context.js';
import { ImportStateEnum, OnDuplicateEnum } from '../enums.js';
import { argsType, deprecated, field, graphqlEnum, inputType, nullable, outputType } from '../types.js';

const ImportProblem = outputType<RowProblem>(
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

const ImportProblemConnection = connectionType('ImportProblem', ImportProblem, {
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

const ImportCardInput = inputType(
  'ImportCardInput',
  'A card to import. Fields and required fields are those of CreateCardInput, but a row that lacks one or has an invalid one is reported, and the other rows are imported.',
  {
    id: nullable(
      ID,
      'The id of the card. If a card with this id exists, the row updates it. Admins update cards of any owner. For others, a row with the id of a card of another owner fails if they may see that card, and gets a new id if not.',
    ),
    ...cardFields('import'),
  },
);

const ImportCardsArgs = argsType({
  rows: field([ImportCardInput], 'The cards to import: 1 to 500.'),
  onDuplicate: nullable(OnDuplicateEnum, 'How to handle rows whose question the owner already has.', {
    defaultValue: 'MERGE',
  }),
  dryRun: nullable(Boolean, 'Validates every row and stores nothing.', { defaultValue: false }),
  key: nullable(
    String,
    'An idempotency key of 1 to 200 characters: a repeated request returns the result of the first and stores nothing again. CONFLICT if its rows or options differ.',
  ),
});

const RowOutcomeEnum = graphqlEnum<RowOutcome>('RowOutcome', 'The outcome of a row of an import.', {
  created: 'Created a card.',
  updated: 'Updated a card.',
  merged: 'Became another occurrence of a card with the same question.',
  skipped: 'Already existed.',
  failed: 'Not imported; see `rowProblems`.',
});

interface NumberedRow extends ImportedRow {
  readonly row: number;
}

const ImportRow = outputType<NumberedRow>('ImportRow', 'The outcome of a row.', {
  row: field(Int, 'The number of the row in the request, from 1, as in `rowProblems`.'),
  outcome: field(RowOutcomeEnum, 'The outcome.'),
  cardId: nullable(
    ID,
    'The card that the row became or was merged into; null if the row failed, or if a dry run would create the card.',
  ),
});

const ImportRowConnection = connectionType('ImportRow', ImportRow, {
  description: 'A page of the rows of an import, as a Relay connection.',
  one: 'row',
  many: 'rows',
  total: 'Number of rows on all pages.',
});

/** BadInputError (`after`) for an invalid cursor. */
export function importRowConnection(
  importId: string,
  rows: readonly ImportedRow[],
  page: PageRequest,
): CountedConnection<NumberedRow> {
  const list = ['row', importId] as const;
  const from = placeAfter(list, page.after, rows.length);
  const nodes = rows.slice(from, from + page.first).map((row, place) => ({ row: from + place + 1, ...row }));
  const hasNextPage = from + nodes.length < rows.length;
  return { ...placedConnection(list, { nodes, from, hasNextPage }, page), totalCount: rows.length };
}

export interface ImportParts {
  readonly jobs: Pick<ImportJobStore, 'job' | 'problems' | 'rows'>;
  readonly importer: Pick<Importer, 'cancel'>;
  readonly requestImporter: Pick<RequestImporter, 'importInputs'>;
}

const PageArgs = argsType(pageFields(100));
type PageArgs = InstanceType<typeof PageArgs>;

@Resolver(() => ImportJob)
export class ImportResolver {
  constructor(private readonly parts: ImportParts) {}

  @Query(() => ImportJob, { description: 'An import and its progress.' })
  importJob(
    @Arg('id', () => ID, { description: 'The id returned by importCards or by POST /import.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Job> {
    return this.parts.jobs.job(context.viewer, parseId(id, 'id'));
  }

  @Mutation(() => ImportJob, {
    description:
      'Imports up to 500 cards in one transaction: bad rows are reported one by one and the others stored. Files are sent by POST to /import instead.',
  })
  importCards(
    @Args(() => ImportCardsArgs) args: InstanceType<typeof ImportCardsArgs>,
    @Ctx() context: Context,
  ): Promise<Job> {
    const options = parseImportOptions({ onDuplicate: args.onDuplicate, dryRun: args.dryRun });
    const rows = parseRequestRows(args.rows, 'rows');
    const key = parseImportKey(args.key, 'key');
    // In a row null means that nothing is given.
    const body = JSON.stringify([options, rows], (_name, value) => value ?? undefined);
    const request = key === null ? null : { key, body };
    return this.parts.requestImporter.importInputs(context.viewer, rows, options, request);
  }

  @Mutation(() => ImportJob, {
    description:
      'Cancels a running import; stored rows stay. Allowed to its owner and admins. An import that has ended is returned unchanged.',
  })
  cancelImport(
    @Arg('id', () => ID, { description: 'The id of the import.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Job> {
    return this.parts.importer.cancel(context.viewer, parseId(id, 'id'));
  }

  @FieldResolver(() => ImportProblemConnection, {
    description:
      'Problems of rows, in the order of the file; a row may have several. While the import is running, more may follow the last one.',
  })
  async rowProblems(
    @Root() { id }: Job,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<Connection<RowProblem>> {
    const page = parsePage(args);
    const from = placeAfter(['problem', id], page.after);
    const found = await this.parts.jobs.problems(viewer, id, page.first + 1, from);
    const nodes = found.slice(0, page.first);
    return placedConnection(['problem', id], { nodes, from, hasNextPage: found.length > page.first }, page);
  }

  @FieldResolver(() => [ImportProblem], {
    description: 'Problems of rows, in the order of the file; a row may have several.',
    ...deprecated('`rowProblems`'),
  })
  problems(
    @Root() job: Job,
    @Arg('first', () => Int, { nullable: true, defaultValue: 100, description: 'Maximum number, from 1 to 1000.' })
    first: number | null,
    @Arg('after', () => Int, { nullable: true, defaultValue: 0, description: 'Number of problems to skip.' })
    after: number | null,
    @Ctx() context: Context,
  ): Promise<readonly RowProblem[]> {
    const page = parseProblemPage({ first, after });
    return this.parts.jobs.problems(context.viewer, job.id, page.first, page.after);
  }

  @FieldResolver(() => ImportRowConnection, {
    nullable: true,
    description: 'The outcome of each row of importCards, in order; null for a file, whose rows are only counted.',
  })
  async rows(
    @Root() job: Job,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<CountedConnection<NumberedRow> | null> {
    const page = parsePage(args);
    const rows = await this.parts.jobs.rows(viewer, job.id);
    return rows === null ? null : importRowConnection(job.id, rows, page);
  }
}
