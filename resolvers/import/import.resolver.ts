import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { OnDuplicate } from '../../src/domain/duplicates.js';
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
import { addCardFields } from '../cards/card-fields.js';
import { connectionType, type PageArgs, pageArgs, placeAfter, placedConnection } from '../connection.js';
import type { Context } from '../context.js';
import { OnDuplicateEnum } from '../enums.js';
import { graphqlEnum } from '../graphql-enum.js';
import { ImportJob, ImportProblem, ImportProblemConnection } from './import.type.js';

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
class ImportCardsArgs {
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

const RowOutcomeEnum = graphqlEnum<RowOutcome>('RowOutcome', 'The outcome of a row of an import.', {
  created: 'Created a card.',
  updated: 'Updated a card.',
  merged: 'Became another occurrence of a card with the same question.',
  skipped: 'Already existed.',
  failed: 'Not imported; see `rowProblems`.',
});

@ObjectType({ description: 'The outcome of a row.', simpleResolvers: true })
class ImportRow {
  @Field(() => Int, {
    description: 'The number of the row in the request, from 1, as in `rowProblems`.',
  })
  row!: number;

  @Field(() => RowOutcomeEnum, { description: 'The outcome.' })
  outcome!: RowOutcome;

  @Field(() => ID, {
    nullable: true,
    description:
      'The card that the row became or was merged into; null if the row failed, or if a dry run would create the card.',
  })
  cardId!: string | null;
}

@ObjectType({ description: 'A page of the rows of an import, as a Relay connection.', simpleResolvers: true })
class ImportRowConnection extends connectionType<ImportRow>('ImportRow', ImportRow, {
  one: 'row',
  many: 'rows',
}) {
  @Field(() => Int, { description: 'Number of rows on all pages.' })
  totalCount!: number;
}

/** BadInputError (`after`) for an invalid cursor. */
export function importRowConnection(rows: readonly ImportedRow[], page: PageRequest): ImportRowConnection {
  const from = placeAfter('row', page.after, rows.length);
  const nodes = rows.slice(from, from + page.first).map((row, place) => ({ row: from + place + 1, ...row }));
  const hasNextPage = from + nodes.length < rows.length;
  return { ...placedConnection('row', { nodes, from, hasNextPage }, page), totalCount: rows.length };
}

export interface ImportParts {
  readonly jobs: Pick<ImportJobStore, 'job' | 'problems' | 'rows'>;
  readonly importer: Pick<Importer, 'cancel'>;
  readonly requestImporter: Pick<RequestImporter, 'importInputs'>;
}

const RowPageArgs = pageArgs(100);

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
  importCards(@Args(() => ImportCardsArgs) args: ImportCardsArgs, @Ctx() context: Context): Promise<Job> {
    const options = parseImportOptions({ onDuplicate: args.onDuplicate, dryRun: args.dryRun });
    const rows = parseRequestRows(args.rows, 'rows');
    const key = parseImportKey(args.key, 'key');
    const request = key === null ? null : { key, body: JSON.stringify([options, rows]) };
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
    @Args(() => RowPageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<ImportProblemConnection> {
    const page = parsePage(args);
    const from = placeAfter('problem', page.after);
    const found = await this.parts.jobs.problems(viewer, id, page.first + 1, from);
    const nodes = found.slice(0, page.first);
    return placedConnection('problem', { nodes, from, hasNextPage: found.length > page.first }, page);
  }

  @FieldResolver(() => [ImportProblem], {
    description: 'Problems of rows, in the order of the file; a row may have several.',
    deprecationReason: 'Use `rowProblems`. Deprecated on 2026-11-23.',
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
    @Args(() => RowPageArgs) args: PageArgs,
    @Ctx() { viewer }: Context,
  ): Promise<ImportRowConnection | null> {
    const page = parsePage(args);
    const rows = await this.parts.jobs.rows(viewer, job.id);
    return rows === null ? null : importRowConnection(rows, page);
  }
}
