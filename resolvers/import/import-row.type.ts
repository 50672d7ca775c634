import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { ImportedRow, RowOutcome } from '../../src/domain/import.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import { connectionType, placeAfter, placedConnection } from '../connection.js';
import { graphqlEnum } from '../graphql-enum.js';

const RowOutcomeEnum = graphqlEnum<RowOutcome>('RowOutcome', 'The outcome of a row of an import.', {
  created: 'Created a card.',
  updated: 'Updated a card.',
  merged: 'Became another occurrence of a card with the same question.',
  skipped: 'Already existed.',
  failed: 'Not imported; see `rowProblems`.',
});

@ObjectType({ description: 'The outcome of a row.', simpleResolvers: true })
export class ImportRow {
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
export class ImportRowConnection extends connectionType<ImportRow>('ImportRow', ImportRow, {
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
