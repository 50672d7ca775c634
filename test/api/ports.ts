import type { GraphqlParts } from '../../resolvers/apollo.js';
import type { Evaluations } from '../../resolvers/evaluation/evaluation.resolver.js';
import type { Practice } from '../../resolvers/practice/practice.resolver.js';
import type { Difficulties, Ladders, Masteries } from '../../resolvers/practice/practice-mastery.resolver.js';
import type { Groups, Overviews } from '../../resolvers/practice/practice-overview.resolver.js';
import { BadInputError } from '../../src/domain/errors.js';
import type { CardStore } from '../../src/domain/ports/cards.js';
import type { Erasure } from '../../src/domain/ports/erasure.js';
import type { GoldenStore, SearchProfiles } from '../../src/domain/ports/evaluation.js';
import type { IndexControl, SearchEngine } from '../../src/domain/ports/gateway.js';
import type { LabelStore } from '../../src/domain/ports/labels.js';
import type { IndexLedger } from '../../src/domain/ports/ledger.js';
import type { AttemptPages } from '../../src/domain/ports/practice.js';
import type { SyncFeed } from '../../src/domain/ports/sync.js';
import type { ContextBuilder, Tutor } from '../../src/domain/ports/tutoring.js';
import type { EvaluationService } from '../../src/evaluation/evaluation-service.js';
import { builtinProfiles } from '../../src/search/profile.js';
import type { TagSuggester } from '../../src/search/suggest.js';
import { ContextService } from '../../src/tutoring/context-service.js';

/** The ports that the API stands on; a test replaces the methods that it is about. */
export interface Ports {
  readonly store: CardStore;
  readonly feed: SyncFeed;
  readonly ledger: Pick<IndexLedger, 'states'>;
  readonly engine: SearchEngine;
  readonly suggester: Pick<TagSuggester, 'suggest'>;
  readonly labels: LabelStore;
  readonly control: IndexControl;
  readonly jobs: GraphqlParts['jobs'];
  readonly importer: GraphqlParts['importer'];
  readonly requestImporter: GraphqlParts['requestImporter'];
  readonly imports: GraphqlParts['imports'];
  readonly duplicates: GraphqlParts['duplicates'];
  readonly clusters: GraphqlParts['clusters'];
  readonly golden: GoldenStore;
  readonly profiles: SearchProfiles;
  readonly evaluations: Evaluations;
  readonly evaluationService: Pick<EvaluationService, 'start' | 'reportJson'>;
  readonly tutoring: ContextBuilder;
  readonly practice: Practice;
  readonly attemptPages: AttemptPages;
  readonly masteries: Masteries;
  readonly ladders: Ladders;
  readonly difficulties: Difficulties;
  readonly groups: Groups;
  readonly overviews: Overviews;
  readonly tutor: Tutor;
  readonly erasure: Erasure;
}

export type PortMethods = { readonly [P in keyof Ports]?: Partial<Ports[P]> };

/** The port with these methods; calls of any other are rejected with its name. */
export function portOf<T extends object>(name: string, methods: Partial<T>): T {
  return new Proxy(methods, {
    get(given, method) {
      // Whoever awaits the port asks for `then`.
      if (method in given || typeof method === 'symbol' || method === 'then') return Reflect.get(given, method);
      return () => Promise.reject(new Error(`unexpected call of ${name}.${method}`));
    },
  }) as T;
}

/** The ports of an API; what is not expected must not be called. */
export function portsOf(methods: PortMethods): Ports {
  const port = <P extends keyof Ports>(name: P, defaults: Partial<Ports[P]> = {}): Ports[P] =>
    portOf<Ports[P]>(name, { ...defaults, ...methods[name] });
  const store = port('store', { mergedInto: async () => new Map() });
  const engine = port('engine');
  const profiles = port('profiles', {
    chosen: async () => builtinProfiles('builtin')[0],
    named: async (_viewer, name, field) => {
      const found = builtinProfiles('builtin').find((profile) => profile.name === name);
      if (found === undefined) throw new BadInputError(field, `there is no search profile ${JSON.stringify(name)}`);
      return found;
    },
    refuseBuiltin: () => {
      throw new Error('unexpected call of profiles.refuseBuiltin');
    },
  });
  const contexts = new ContextService({ engine, cards: store, profiles });
  return {
    store,
    engine,
    profiles,
    feed: port('feed'),
    ledger: port('ledger'),
    suggester: port('suggester'),
    labels: port('labels'),
    control: port('control'),
    jobs: port('jobs'),
    importer: port('importer'),
    requestImporter: port('requestImporter'),
    imports: port('imports'),
    duplicates: port('duplicates', {
      // A test that is about cards gives a store; what creates them beside others is that store.
      create: (viewer, { card }, _mode, request) => store.create(viewer, card, request),
    }),
    clusters: port('clusters'),
    golden: port('golden'),
    evaluations: port('evaluations'),
    evaluationService: port('evaluationService'),
    tutoring: port('tutoring', { context: (...asked) => contexts.context(...asked) }),
    practice: port('practice'),
    attemptPages: port('attemptPages'),
    masteries: port('masteries'),
    ladders: port('ladders'),
    difficulties: port('difficulties'),
    groups: port('groups'),
    overviews: port('overviews'),
    erasure: port('erasure'),
    tutor: port('tutor', {
      answer: () => {
        throw new Error('unexpected call of tutor.answer');
      },
    }),
  };
}
