// type-graphql's decorators run while the modules below are read, and need this by then.
import 'reflect-metadata';
import type { CardStore } from '../src/domain/ports/cards.js';
import type { Erasure } from '../src/domain/ports/erasure.js';
import type { GoldenStore, SearchProfiles } from '../src/domain/ports/evaluation.js';
import type { IndexControl, SearchEngine } from '../src/domain/ports/gateway.js';
import type { LabelStore } from '../src/domain/ports/labels.js';
import type { AttemptPages } from '../src/domain/ports/practice.js';
import type { LoggedSearches } from '../src/domain/ports/search-log.js';
import type { SyncFeed } from '../src/domain/ports/sync.js';
import type { ContextBuilder } from '../src/domain/ports/tutoring.js';
import type { ProfileSettings } from '../src/domain/search.js';
import type { EvaluationService } from '../src/evaluation/evaluation-service.js';
import type { DuplicateService } from '../src/exchange/duplicates/duplicate-service.js';
import type { TagSuggester } from '../src/search/suggest.js';
import { ApiKeyResolver, type ApiKeys, ViewerResolver } from './access/access.resolver.js';
import { ErasureResolver } from './access/erasure.resolver.js';
import { BulkResolver } from './cards/bulk.resolver.js';
import { CardResolver } from './cards/card.resolver.js';
import { type DuplicatesParts, DuplicatesResolver } from './cards/duplicates.resolver.js';
import { LabelResolver } from './cards/label.resolver.js';
import { SyncResolver } from './cards/sync.resolver.js';
import type { Context } from './context.js';
import type { ErrorFormatter } from './errors.js';
import { EvaluationReportResolver, EvaluationResolver, type Evaluations } from './evaluation/evaluation.resolver.js';
import { GoldenResolver } from './evaluation/golden.resolver.js';
import { EventResolver } from './events/event.resolver.js';
import { type ImportParts, ImportResolver } from './import/import.resolver.js';
import { AttemptResolver } from './practice/attempt.resolver.js';
import { type Practice, PracticeResolver } from './practice/practice.resolver.js';
import {
  type Difficulties,
  type Ladders,
  type Masteries,
  MasteryResolver,
} from './practice/practice-mastery.resolver.js';
import { type Groups, OverviewResolver, type Overviews } from './practice/practice-overview.resolver.js';
import { IndexResolver } from './search/index.resolver.js';
import { MetricsResolver, type SearchMetricsReader } from './search/metrics.resolver.js';
import { ProfileResolver } from './search/profile.resolver.js';
import { SearchResolver } from './search/search.resolver.js';
import { SuggestResolver } from './search/suggest.resolver.js';
import { TutoringResolver } from './tutoring/tutoring.resolver.js';

export interface ResolverParts extends ImportParts, DuplicatesParts {
  readonly store: CardStore;
  readonly feed: SyncFeed;
  readonly engine: SearchEngine;
  readonly labels: LabelStore;
  readonly suggester: Pick<TagSuggester, 'suggest'>;
  readonly control: IndexControl;
  readonly duplicates: DuplicatesParts['duplicates'] & Pick<DuplicateService, 'create'>;
  readonly golden: GoldenStore;
  readonly profiles: SearchProfiles;
  readonly defaults: ProfileSettings;
  readonly evaluations: Evaluations;
  readonly evaluationService: Pick<EvaluationService, 'start' | 'reportJson'>;
  readonly practice: Practice;
  readonly attemptPages: AttemptPages;
  readonly masteries: Masteries;
  readonly ladders: Ladders;
  readonly difficulties: Difficulties;
  readonly overviews: Overviews;
  readonly groups: Groups;
  readonly searchMetrics: SearchMetricsReader;
  readonly loggedSearches: LoggedSearches;
  readonly tutoring: ContextBuilder;
  readonly apiKeys: ApiKeys;
  readonly erasure: Erasure;
  readonly formatError: ErrorFormatter;
}

export function resolversOf(parts: ResolverParts): Context['resolvers'] {
  const { store, control, duplicates } = parts;
  const resolvers = [
    new CardResolver(store, control, duplicates),
    new BulkResolver(store, duplicates, parts.formatError),
    new SyncResolver(parts.feed),
    new SearchResolver(parts.engine, parts.profiles),
    new SuggestResolver(parts.suggester),
    new LabelResolver(parts.labels),
    new IndexResolver(control),
    new ImportResolver(parts),
    new DuplicatesResolver(parts),
    new MetricsResolver(parts.searchMetrics, parts.loggedSearches),
    new GoldenResolver(parts.golden, store),
    new EvaluationResolver(parts.evaluations, parts.evaluationService),
    new EvaluationReportResolver(),
    new ProfileResolver(parts.profiles, parts.defaults),
    new TutoringResolver(parts.tutoring),
    new PracticeResolver(parts.practice, parts.ladders),
    new AttemptResolver(parts.attemptPages),
    new MasteryResolver(parts.masteries, parts.ladders, parts.difficulties),
    new OverviewResolver(parts.overviews, parts.groups),
    new ViewerResolver(),
    new ApiKeyResolver(parts.apiKeys),
    new ErasureResolver(parts.erasure),
    new EventResolver(),
  ];
  return new Map<unknown, object>(resolvers.map((one) => [one.constructor, one]));
}
