import { composeServices } from '@apollo/composition';
import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import {
  type FetchNode,
  type PlanNode,
  QueryPlanner,
  type QueryPlanSelectionNode,
  type SubscriptionNode,
} from '@apollo/query-planner';
import { type DocumentNode, execute, type GraphQLFieldResolver, parse } from 'graphql';

/** One subgraph: its schema, and how it is asked. */
export interface Subgraph {
  readonly sdl: string;
  ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<Answered>;
}

export interface Answered {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string }[] | undefined;
}

type Entry = Record<string, unknown>;

/**
 * A federated gateway: Apollo's composition and query planner, and an executor of the plans that these tests need.
 * @apollo/gateway itself brings 101 MB and two install scripts.
 */
export class FederatedGateway {
  readonly supergraphSdl: string;
  readonly #planner: QueryPlanner;
  readonly #supergraph: Supergraph;
  /** The operations that were sent to each subgraph. */
  readonly sent: { readonly subgraph: string; readonly query: string }[] = [];

  constructor(private readonly subgraphs: Readonly<Record<string, Subgraph>>) {
    const services = Object.entries(subgraphs).map(([name, { sdl }]) => ({ name, typeDefs: parse(sdl) }));
    const { supergraphSdl, errors } = composeServices(services);
    if (supergraphSdl === undefined) throw new Error(errors?.map(({ message }) => message).join('\n'));
    this.supergraphSdl = supergraphSdl;
    this.#supergraph = Supergraph.build(supergraphSdl);
    this.#planner = new QueryPlanner(this.#supergraph);
  }

  async ask(query: string): Promise<{ readonly data: Entry | null; readonly errors: readonly string[] }> {
    const document: DocumentNode = parse(query);
    const { node } = this.#planner.buildQueryPlan(operationFromDocument(this.#supergraph.apiSchema(), document));
    const data: Entry = {};
    const errors: string[] = [];
    await this.#run(node, [data], errors);
    return { data: await this.#completed(document, data), errors };
  }

  /** As a gateway answers it: what must not be null and is makes null of what it is a part of. */
  async #completed(document: DocumentNode, rootValue: Entry): Promise<Entry | null> {
    const schema = this.#supergraph.apiSchema().toGraphQLJSSchema();
    const fieldResolver: GraphQLFieldResolver<Entry, unknown> = (source, _args, _context, { path }) => source[path.key];
    const { data } = await execute({ schema, document, rootValue, fieldResolver });
    return data == null ? null : JSON.parse(JSON.stringify(data));
  }

  async #run(node: PlanNode | SubscriptionNode | undefined, at: readonly Entry[], errors: string[]): Promise<void> {
    if (node === undefined) return;
    if (node.kind === 'Sequence') for (const one of node.nodes) await this.#run(one, at, errors);
    else if (node.kind === 'Parallel') await Promise.all(node.nodes.map((one) => this.#run(one, at, errors)));
    else if (node.kind === 'Flatten') await this.#run(node.node, entriesAt(at, node.path.map(String)), errors);
    else if (node.kind === 'Fetch') await this.#fetch(node, at, errors);
    else throw new Error(`a plan of these tests has no ${node.kind}`);
  }

  async #fetch({ serviceName, operation, requires }: FetchNode, at: readonly Entry[], errors: string[]): Promise<void> {
    const representations = requires === undefined ? [] : at.map((entry) => selected(entry, requires));
    if (requires !== undefined && representations.length === 0) return;
    this.sent.push({ subgraph: serviceName, query: operation });
    const variables = requires === undefined ? {} : { representations };
    const answer = await this.subgraphs[serviceName]?.ask(operation, variables);
    errors.push(...(answer?.errors ?? []).map(({ message }) => message));
    const data = (answer?.data ?? {}) as Entry;
    const found = data._entities as readonly (Entry | null)[] | undefined;
    for (const [place, entry] of at.entries()) Object.assign(entry, requires === undefined ? data : found?.[place]);
  }
}

/** The entries of an answer at a path, in which `@` stands for each of a list. */
function entriesAt(at: readonly Entry[], path: readonly string[]): readonly Entry[] {
  const values = path.reduce<readonly unknown[]>(
    (found, key) => found.flatMap((one) => (key === '@' ? (one as unknown[]) : [(one as Entry)[key]])),
    at,
  );
  return values.filter((one) => one != null) as Entry[];
}

/** The fields of an entry that a subgraph needs to know it by. */
function selected(entry: Entry, selections: readonly QueryPlanSelectionNode[]): Entry {
  return Object.assign(
    {},
    ...selections.map((one) => {
      if (one.kind === 'Field') return { [one.name]: entry[one.name] };
      return one.typeCondition === entry.__typename ? selected(entry, one.selections) : {};
    }),
  );
}
