import type { Database } from '../../prisma/client.js';
import { PostgresEvaluationStore } from '../../prisma/evaluation/evaluations.js';
import { PostgresGoldenStore } from '../../prisma/evaluation/golden.js';
import { PostgresLearnedProfileStore } from '../../prisma/evaluation/learned-profiles.js';
import { PostgresProfileStore } from '../../prisma/evaluation/profiles.js';
import { PostgresSearchRecords } from '../../prisma/evaluation/search-records.js';
import type { Closers } from '../domain/async.js';
import type { Background } from '../domain/background.js';
import { deletionLoop } from '../domain/background-loop.js';
import type { MergeableCards } from '../domain/given-ids.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { Log } from '../domain/ports/log.js';
import { SearchLog, type SearchLogParts } from '../observability/search-log.js';
import { Workers } from '../runtime/workers/workers.js';
import type { Engine } from '../search/engine.js';
import { builtinProfiles, defaultSettings } from '../search/profile.js';
import type { CardLedger } from './evaluated-cards.js';
import { EvaluationService } from './evaluation-service.js';
import { Evaluator } from './evaluator.js';
import { LearnedProfiles } from './learning/learned-profiles.js';
import { Learner } from './learning/learner.js';
import { LearningLoop, type LearningLoopParts } from './learning/learning-loop.js';
import { Tuner } from './learning/tuner.js';
import { Profiles } from './profiles.js';
import { Statistician } from './reports/statistician.js';

/** Expired searches deleted in one statement: some tens of ms, without locks that block inserts. */
const EXPIRED_BATCH = 500;

export interface EvaluationParts {
  readonly database: Database;
  /** Searches of evaluations, which see all of the tenant's cards. */
  readonly backgroundEngine: SearchEngine & Pick<Engine, 'rescorer' | 'rescorers'>;
  readonly ledger: CardLedger & LearningLoopParts['ledger'];
  readonly cards: MergeableCards;
  /** The tokens of a text for plain BM25. */
  readonly tokenizer: { tokens(text: string): readonly string[] };
  readonly config: {
    /** Some settings depend on the embedding model. */
    readonly embedding: { readonly model: string };
    /** Name of the profile of searches without one. */
    readonly searchProfile: string;
    /** Whether weights are learned from notebooks, and used. */
    readonly learnWeights: boolean;
    readonly searchLog: SearchLogParts['keep'];
    /** Null: nothing is deleted from that log. */
    readonly searchLogDays: number | null;
  };
  readonly tenants: LearningLoopParts['tenants'];
  /** HMAC key of the hashes of logged searches. */
  readonly installation: string;
  /** Yields to searches of clients. */
  readonly background: Pick<Background, 'take' | 'takeAndRest' | 'pause'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly closers: Closers;
}

/** Golden sets, search profiles, evaluations, the search log. StartupError (78) for an unknown SEARCH_PROFILE. */
export async function createEvaluation({
  database,
  backgroundEngine,
  ledger,
  cards,
  tokenizer,
  config,
  tenants,
  installation,
  background,
  log,
  closers,
}: EvaluationParts) {
  const { model } = config.embedding;
  const golden = new PostgresGoldenStore(database);
  const defaults = defaultSettings(model);
  const learnedStore = new PostgresLearnedProfileStore(database, defaults);
  const learned = new LearnedProfiles({ store: learnedStore, model, log });
  const profiles = new Profiles(
    new PostgresProfileStore(database, defaults),
    builtinProfiles(model),
    config.searchProfile,
    config.learnWeights ? learned : undefined,
  );
  // Separate workers: an evaluation must not block the papers of its tenant.
  const workers = new Workers();
  const statistics = new Statistician(workers);
  const searching = {
    engine: backgroundEngine,
    rescorers: backgroundEngine,
    cards,
    takeTurn: background.take,
    statistics,
  };
  const evaluator = new Evaluator({
    ...searching,
    pause: background.pause,
    ledger,
    words: (text) => tokenizer.tokens(text),
  });
  const evaluations = new PostgresEvaluationStore(database);
  const evaluationService = new EvaluationService({
    golden,
    cards,
    evaluations,
    profiles,
    evaluator,
    tuner: new Tuner(searching),
    takeTurn: background.takeAndRest,
    log,
  });
  const learning = new LearningLoop({
    store: learnedStore,
    tenants,
    learner: new Learner({ ...searching, defaults, takeTurn: background.takeAndRest }),
    ledger,
    model,
    onLearned: (tenantId) => learned.forget(tenantId),
    log,
  });
  const records = new PostgresSearchRecords(database);
  const { searchLog: keep, searchLogDays: days } = config;
  const loggedSearches = new SearchLog({ records, keep, key: installation, log });
  // Also if searches are not logged any more.
  const retention =
    days === null
      ? null
      : deletionLoop({
          forget: (limit) => records.forget(days, limit),
          batch: EXPIRED_BATCH,
          onFailure: (err) => log.warn({ err }, 'expired entries of the search log could not be deleted'),
        });
  closers.add('measuring', async () => {
    await learning.close();
    await evaluationService.close();
    await workers.close();
    await retention?.close();
    await loggedSearches.close();
  });
  await profiles.refuseUnknownChoice();
  retention?.start();
  if (config.learnWeights) learning.start();
  return { golden, profiles, defaults, evaluations, evaluationService, loggedSearches };
}
