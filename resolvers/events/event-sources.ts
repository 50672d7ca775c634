import type { ChangeEvents } from '../../src/domain/ports/changes.js';
import type { EvaluationStore } from '../../src/domain/ports/evaluation.js';
import type { IndexControl } from '../../src/domain/ports/gateway.js';
import type { SyncFeed } from '../../src/domain/ports/sync.js';
import type { Tutor } from '../../src/domain/ports/tutoring.js';
import type { Context } from '../context.js';
import type { ImportParts } from '../import/import.resolver.js';

export interface EventSources {
  readonly tutor: Tutor;
  readonly jobs: Pick<ImportParts['jobs'], 'job'>;
  readonly evaluations: Pick<EvaluationStore, 'job'>;
  readonly feed: SyncFeed;
  readonly control: Pick<IndexControl, 'status'>;
  /** Announces changes of the index, made by any gateway on the database. */
  readonly events: ChangeEvents;
}

/** Context in which a subscription is opened: it has no resolver before its events, and so no constructor arguments. */
export interface StreamContext extends Context {
  readonly sources: EventSources;
}
