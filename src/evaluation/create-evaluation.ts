import type { Database } from '../../prisma/client.js';
import { PostgresEvaluationStore } from '../../prisma/evaluations.js';
import { PostgresGoldenStore } from '../../prisma/golden.js';
import { PostgresProfileStore } from '../../prisma/profiles.js';
import { PostgresSearchRecords } from '../../prisma/search-records.js';
import type { TakeTurn } from '../domain/background.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { Evaluations, GoldenSets, SearchProfiles } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import { LoggedSearch, type LoggedSearchParts } from '../observability/search-log.js';
import { SearchLogRetention, type SearchLogRetentionParts } from '../observability/search-log-retention.js';
import { Workers } from '../runtime/workers/workers.js';
import type { Engine } from '../search/engine.js';
import { builtinProfiles, defaultSettings, requestBy } from '../search/profile.js';
import { EvaluationService } from './evaluation-service.js';
import { Evaluator } from './evaluator.js';
import { GoldenService } from './golden-service.js';
import type { NotebookLedger } from './notebook.js';
import { refuseStudents } from './permission.js';
import { Profiles } from './profiles.js';
import { Statistician } from './statistician.js';
import { Tuner } from './tuner.js';

/** What measuring stands on. */
export interface MeasuringParts {
  readonly database: Database;
  /** Searches and trials of whoever may measure: they see all of the tenant. */
  readonly engine: Engine;
  /** The searches of clients. */
  readonly searches: SearchEngine;
  readonly ledger: NotebookLedger;
  readonly cards: Pick<CardStore, 'byIds'>;
  /** The words of a text, as plain BM25 counts them. */
  readonly words: (text: string) => readonly string[];
  /** The embedding model: some settings depend on it. */
  readonly model: string;
  /** The name of the profile of searches that name none. */
  readonly searchProfile: string;
  /** Searches of clients come first. */
  readonly takeTurn: TakeTurn;
  readonly searchLog: Pick<LoggedSearchParts, 'keep' | 'key'> & Pick<SearchLogRetentionParts, 'days'>;
  readonly log: { error(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** What the API asks of measuring, and its end. */
export interface Measuring {
  readonly golden: GoldenSets;
  readonly profiles: SearchProfiles;
  readonly evaluations: Evaluations;
  /** The searches of clients, each remembered where the operator wants that. */
  readonly logged: LoggedSearch;
  /** Begins to delete logged searches that are older than the operator keeps them. StartupError (78) for an unknown SEARCH_PROFILE. */
  readonly start: () => Promise<void>;
  /** Ends the evaluation that runs, and writes the searches that wait to be logged. */
  readonly close: () => Promise<void>;
}

/** Builds what measures search: golden sets, search profiles, evaluations. */
export function createMeasuring({
  database,
  engine,
  searches,
  ledger,
  cards,
  words,
  model,
  searchProfile,
  takeTurn,
  searchLog,
  log,
}: MeasuringParts): Measuring {
  const store = new PostgresGoldenStore(database);
  const profiles = new Profiles(
    new PostgresProfileStore(database, defaultSettings(model)),
    builtinProfiles(model),
    searchProfile,
  );
  // Workers of their own: an evaluation must not keep its school from printing papers.
  const statistics = new Statistician(new Workers());
  const searching = { engine, trials: engine, cards, requestOf: requestBy, takeTurn, statistics };
  const evaluator = new Evaluator({ ...searching, ledger, words });
  const evaluations = new EvaluationService({
    golden: store,
    evaluations: new PostgresEvaluationStore(database),
    profiles,
    evaluator,
    tuner: new Tuner(searching),
    log,
  });
  const records = new PostgresSearchRecords(database);
  const { days, ...kept } = searchLog;
  const logged = new LoggedSearch({ engine: searches, records, ...kept, refuseStudents, log });
  const retention = new SearchLogRetention({ records, days, log });
  const close = async (): Promise<void> => {
    await evaluations.close();
    await retention.close();
    await logged.close();
  };
  const start = async (): Promise<void> => {
    await profiles.refuseUnknownChoice();
    retention.start();
  };
  return { golden: new GoldenService(store, cards), profiles, evaluations, logged, start, close };
}
