import { GraphQLDateTime } from 'graphql-scalars';
import { Args, Ctx, ID, Int, Query, Resolver } from 'type-graphql';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseAttemptList } from '../../src/domain/parse/practice.js';
import type { AttemptPages, LoggedAttempt } from '../../src/domain/ports/practice.js';
import { type Connection, connectionOf, connectionType, pageFields } from '../connection.js';
import type { Context } from '../context.js';
import { argsType, field, nullable, outputType } from '../types.js';

const Attempt = outputType<LoggedAttempt>('Attempt', 'An attempt at a card.', {
  key: field(String, 'The idempotency key of the attempt, unique for its student.'),
  ownerId: field(ID, 'The student.'),
  cardId: field(ID, 'The card; after a merge the one that it was merged into.'),
  reviewOf: nullable(ID, 'The due card that this card replaced as its sibling, or null.'),
  at: field(GraphQLDateTime, 'When it was made.'),
  correct: field(Boolean, 'Whether the answer was right.'),
  hints: field(Int, 'How many hints were taken.'),
  durationMs: nullable(Int, 'How long it took, in milliseconds, or null.'),
  changedAnswer: field(Boolean, 'Whether the answer was changed.'),
  answer: nullable(String, 'The answer of the student, or null.'),
});

const AttemptConnection = connectionType('Attempt', Attempt, {
  description: 'A page of the attempts of a student, the latest first.',
  one: 'attempt',
  many: 'attempts',
  edge: 'An attempt and its place in the list.',
  cursor: 'The position of the attempt in this list; it stays valid while others are recorded.',
});

const AttemptsArgs = argsType({
  ...pageFields(50),
  owner: nullable(ID, 'The student; by default the viewer. Teachers and admins may name others.'),
  cardId: nullable(ID, 'Only attempts at this card.'),
  from: nullable(GraphQLDateTime, 'Only attempts from this time on.'),
  to: nullable(GraphQLDateTime, 'Only attempts before this time.'),
});

@Resolver()
export class AttemptResolver {
  constructor(private readonly pages: AttemptPages) {}

  @Query(() => AttemptConnection, { description: 'The attempts of a student as they were recorded, the latest first.' })
  async attempts(
    @Args(() => AttemptsArgs) { first, after, ...args }: InstanceType<typeof AttemptsArgs>,
    @Ctx() { viewer, signal, cards }: Context,
  ): Promise<Connection<LoggedAttempt>> {
    const page = parsePage({ first, after });
    const { ownerId, cardId, ...times } = parseAttemptList(args);
    // The attempts at a merged card are those of the card that it was merged into.
    const card = cardId === null ? null : await cards.load(cardId);
    const list = { ...times, ownerId: ownerId ?? viewer.ownerId, cardId: card?.id ?? cardId };
    return connectionOf(await this.pages.page(viewer, list, page, signal), page);
  }
}
