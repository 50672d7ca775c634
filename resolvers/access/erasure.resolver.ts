import { Arg, Ctx, ID, Int, Mutation, Resolver } from 'type-graphql';
import { BadInputError } from '../../src/domain/errors.js';
import { parseOwner } from '../../src/domain/parse/practice.js';
import type { Erased, Erasure } from '../../src/domain/ports/erasure.js';
import type { Context } from '../context.js';
import { field, outputType } from '../types.js';

const ErasedStudent = outputType<Erased>('ErasedStudent', 'What was deleted of a student.', {
  cards: field(Int, 'Number of cards.'),
  attempts: field(Int, 'Number of attempts, also those at cards of others.'),
});

/** For admins: `guard.ts` refuses everybody else. */
@Resolver()
export class ErasureResolver {
  constructor(private readonly erasure: Erasure) {}

  @Mutation(() => ErasedStudent, {
    description:
      'Deletes all data of a student of the school for good: cards, attempts, uploaded files, practice settings, imports, API keys and memberships of groups; for admins. If it fails, or the student has written meanwhile, call it again.',
  })
  eraseStudent(
    @Arg('owner', () => ID, { description: 'The student; not yourself.' }) given: string,
    @Ctx() { viewer: { tenantId, ownerId: own }, signal }: Context,
  ): Promise<Erased> {
    const ownerId = parseOwner(given, 'owner');
    if (ownerId === null || ownerId === own) throw new BadInputError('owner', 'must be another one than yourself');
    return this.erasure.erase({ tenantId, ownerId }, signal);
  }
}
