import { PostgresAttemptStore } from '../../prisma/attempts.js';
import type { Database } from '../../prisma/client.js';
import { PostgresOverviewStore } from '../../prisma/overviews.js';
import { PostgresPracticeSettings } from '../../prisma/practice-settings.js';
import { PostgresReviewStore } from '../../prisma/reviews.js';
import type { VocabularyStore } from '../domain/ports/labels.js';
import { requestBy } from '../search/profile.js';
import { LadderService, type LadderServiceParts } from './ladder-service.js';
import { MasteryService } from './mastery-service.js';
import { OverviewService, type OverviewServiceParts } from './overview-service.js';
import { PracticeService } from './practice-service.js';

export { replay } from './schedule.js';

export interface PracticeParts extends Pick<LadderServiceParts, 'cards' | 'engine' | 'profiles' | 'judge'> {
  readonly database: Database;
  readonly suggester: OverviewServiceParts['suggester'];
  readonly labels: Pick<VocabularyStore, 'described'>;
  readonly config: { readonly classMinStudents: number };
}

/** What the API asks of practising. */
export interface Practising {
  readonly practice: PracticeService;
  readonly masteries: MasteryService;
  readonly ladders: LadderService;
  readonly overviews: OverviewService;
}

export function createPractice({ database, config, ...parts }: PracticeParts): Practising {
  const attempts = new PostgresAttemptStore(database);
  const reviews = new PostgresReviewStore(database);
  const settings = new PostgresPracticeSettings(database);
  const overviews = new PostgresOverviewStore(database);
  const practice = new PracticeService({ attempts, reviews, settings, cards: parts.cards });
  return {
    practice,
    masteries: new MasteryService({ attempts, overviews, labels: parts.labels }),
    ladders: new LadderService({ ...parts, attempts, overviews, reviews, practice, requestOf: requestBy }),
    overviews: new OverviewService({ ...parts, attempts, overviews, minStudents: config.classMinStudents }),
  };
}
