import type { Database } from '../../prisma/client.js';
import type { DirtySignal } from '../../prisma/indexing/dirty.js';
import { PostgresAttemptPages } from '../../prisma/practice/attempt-pages.js';
import { PostgresAttemptStore } from '../../prisma/practice/attempts.js';
import { PostgresFittedSchedules } from '../../prisma/practice/fitted-schedules.js';
import { PostgresOverviewStore } from '../../prisma/practice/overviews.js';
import { PostgresPracticeSettings } from '../../prisma/practice/practice-settings.js';
import { PostgresReviewStore } from '../../prisma/practice/reviews.js';
import type { Closers } from '../domain/async.js';
import type { VocabularyStore } from '../domain/ports/labels.js';
import { DifficultyService } from './difficulty-service.js';
import { FittingLoop, type FittingLoopParts } from './fitting-loop.js';
import { LadderService, type LadderServiceParts } from './ladder-service.js';
import { MasteryService } from './mastery-service.js';
import { OverviewService, type OverviewServiceParts } from './overview-service.js';
import { PracticeService } from './practice-service.js';

export interface PracticeParts
  extends Pick<LadderServiceParts, 'cards' | 'engine' | 'profiles'>,
    Pick<FittingLoopParts, 'takeTurn' | 'log'> {
  readonly database: Database;
  readonly dirty: DirtySignal;
  readonly suggester: OverviewServiceParts['suggester'];
  readonly labels: Pick<VocabularyStore, 'described'>;
  readonly config: {
    readonly classMinStudents: number;
    /** Whether FSRS is fitted to each student's attempts. */
    readonly fitSchedules: boolean;
  };
  readonly closers: Closers;
}

export function createPractice({ database, dirty, config, closers, ...parts }: PracticeParts) {
  const attempts = new PostgresAttemptStore(database, dirty);
  const reviews = new PostgresReviewStore(database);
  const settings = new PostgresPracticeSettings(database);
  const overviews = new PostgresOverviewStore(database);
  const fits = new PostgresFittedSchedules(database);
  const fitting = new FittingLoop({ ...parts, store: fits, attempts, settings, isOn: config.fitSchedules });
  closers.add('schedules', () => fitting.close());
  fitting.start();
  const { practised: onPractised } = fitting;
  const practice = new PracticeService({ attempts, reviews, settings, fits, cards: parts.cards, onPractised });
  return {
    practice,
    attemptPages: new PostgresAttemptPages(database),
    masteries: new MasteryService({ attempts, overviews, labels: parts.labels }),
    ladders: new LadderService({ ...parts, attempts, overviews, reviews, practice }),
    difficulties: new DifficultyService({ ...parts, attempts }),
    overviews: new OverviewService({ ...parts, attempts, overviews, minStudents: config.classMinStudents }),
    groups: overviews,
  };
}
