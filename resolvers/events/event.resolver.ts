import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { ImportJob as DomainImportJob } from '../../src/domain/import.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { EvaluationJob } from '../../src/domain/ports/evaluation.js';
import type { IndexStatus as DomainIndexStatus } from '../../src/domain/ports/gateway.js';
import type { SyncChange } from '../../src/domain/ports/sync.js';
import { refuseStudents } from '../../src/domain/viewer.js';
import { changesOf, statesOf } from '../../src/domain/watch.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { CardChange } from '../cards/sync.resolver.js';
import type { StreamContext } from '../context.js';
import { Evaluation } from '../evaluation/evaluation.resolver.js';
import { ImportJob } from '../import/import.resolver.js';
import { IndexStatus } from '../search/index.resolver.js';

interface Asked<Args> {
  readonly args: Args;
  readonly context: StreamContext;
}

function importStates({ args, context }: Asked<{ readonly id: string }>): AsyncIterable<DomainImportJob> {
  const { viewer, signal, sources } = context;
  const id = parseId(args.id, 'id');
  const isLast = ({ finishedAt }: DomainImportJob): boolean => finishedAt !== null;
  return statesOf({ read: () => sources.jobs.job(viewer, id), isLast, changes: null, signal });
}

function evaluationStates({ args, context }: Asked<{ readonly id: string }>): AsyncIterable<EvaluationJob> {
  const { viewer, signal, sources } = context;
  refuseStudents(viewer);
  const id = parseId(args.id, 'id');
  const isLast = ({ finishedAt }: EvaluationJob): boolean => finishedAt !== null;
  return statesOf({ read: () => sources.evaluations.job(viewer, id), isLast, changes: null, signal });
}

function indexStates({ context }: Asked<object>): AsyncIterable<DomainIndexStatus> {
  const { viewer, signal, sources } = context;
  const { control, events: changes } = sources;
  return statesOf({ read: () => control.status(viewer), isLast: () => false, changes, signal });
}

async function* cardChanges({ args, context }: Asked<{ readonly filter?: unknown }>): AsyncIterable<SyncChange> {
  const { viewer, signal, sources } = context;
  const { feed, events: changes } = sources;
  const filter = parseCardFilter(args.filter, 'filter');
  yield* changesOf({ feed, viewer, filter, changes, signal });
}

/** Changes of cards and progress of long work, as they are made. */
@Resolver()
export class EventResolver {
  @Subscription(() => ImportJob, {
    subscribe: importStates,
    description: 'An import now, and after each progress (once a second at most), until it has ended.',
  })
  importProgress(
    @Root() job: DomainImportJob,
    @Arg('id', () => ID, { description: 'The id of the import.' }) _id: string,
  ): DomainImportJob {
    return job;
  }

  @Subscription(() => Evaluation, {
    subscribe: evaluationStates,
    description: 'An evaluation now, and after each progress (once a second at most), until it has ended.',
  })
  evaluationProgress(
    @Root() job: EvaluationJob,
    @Arg('id', () => ID, { description: 'The id of the evaluation.' }) _id: string,
  ): EvaluationJob {
    return job;
  }

  @Subscription(() => IndexStatus, {
    subscribe: indexStates,
    description: 'The state of the search index now, and after each change of it (once a second at most).',
  })
  indexStatus(@Root() status: DomainIndexStatus): DomainIndexStatus {
    return status;
  }

  @Subscription(() => CardChange, {
    subscribe: cardChanges,
    description:
      'The cards that are created, changed and deleted from now on, usually within two seconds. Several changes of a card may be combined into one event. `changes` returns missed changes.',
  })
  cardChanged(
    @Root() change: SyncChange,
    @Arg('filter', () => CardFilter, {
      nullable: true,
      description:
        'Restricts the cards: those that match after the change, and those that do not match any more or were deleted, if they may have matched before. By default all cards that you may see.',
    })
    _filter: object | null,
  ): SyncChange {
    return change;
  }
}
