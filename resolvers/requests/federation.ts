import {
  type ConstDirectiveNode,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  isObjectType,
  Kind,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';
import { abortable } from '../../src/domain/async.js';
import { BadInputError } from '../../src/domain/errors.js';
import { type Label, labelKey } from '../../src/domain/labels.js';
import { type EntityKey, parseRepresentations } from '../../src/domain/parse/entities.js';
import type { LabelStore } from '../../src/domain/ports/labels.js';
import type { Context } from '../context.js';

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable"])`;

/** Entities, and the type that other subgraphs with connections have as well. */
const DIRECTIVES: Readonly<Record<string, string>> = {
  MistakeCard: '@key(fields: "id")',
  Label: '@key(fields: "kind name")',
  PageInfo: '@shareable',
};

type LabelKey = Extract<EntityKey, { __typename: 'Label' }>;

/**
 * The schema as a subgraph of Apollo Federation 2, with `_service` and `_entities`. Entities are read as `card` and the
 * lists of labels read them: for the viewer of the request.
 */
export function asSubgraph(schema: GraphQLSchema, labels: Pick<LabelStore, 'page'>): GraphQLSchema {
  const sdl = subgraphText(schema);
  const query = schema.getQueryType();
  if (query == null) throw new Error('the schema has no queries');
  const anyType = new GraphQLScalarType({
    name: '_Any',
    description: 'The key of an entity: { __typename: "MistakeCard", id } or { __typename: "Label", kind, name }.',
  });
  const entityType = new GraphQLUnionType({
    name: '_Entity',
    description: 'What other subgraphs may refer to.',
    types: ['MistakeCard', 'Label'].map((name) => objectTypeOf(schema, name)),
    resolveType: (value: object) => ('questionText' in value ? 'MistakeCard' : 'Label'),
  });
  const serviceType = new GraphQLObjectType({
    name: '_Service',
    description: 'This subgraph.',
    fields: {
      sdl: { type: new GraphQLNonNull(GraphQLString), description: 'Its schema with the directives of federation.' },
    },
  });
  const config = schema.toConfig();
  const queryConfig = query.toConfig();
  const federated = new GraphQLObjectType({
    ...queryConfig,
    fields: {
      ...queryConfig.fields,
      _service: {
        type: new GraphQLNonNull(serviceType),
        description: 'For federated gateways: the schema of this subgraph.',
        resolve: () => ({ sdl }),
      },
      _entities: {
        type: new GraphQLNonNull(new GraphQLList(entityType)),
        description:
          'For federated gateways: cards and labels by their keys, in their order; null if there is none that you may see.',
        args: {
          representations: {
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(anyType))),
            description: 'The keys: 1 to 100.',
          },
        },
        resolve: (_source, { representations }, context: Context) =>
          entitiesOf(parseRepresentations(representations), context, labels),
      },
    },
  });
  return new GraphQLSchema({ ...config, query: federated, types: config.types.filter((type) => type !== query) });
}

/** One promise for each, so that an unreadable card or an unusable key does not fail the others. */
function entitiesOf(
  keys: readonly (EntityKey | BadInputError | null)[],
  context: Context,
  labels: Pick<LabelStore, 'page'>,
): readonly Promise<object | null>[] {
  const pages = new Map<LabelKey['kind'], Promise<readonly Label[]>>();
  const readLabels = async (kind: LabelKey['kind']): Promise<readonly Label[]> => {
    const names = keys.flatMap((key) => (isLabel(key) && key.kind === kind ? [key.name] : []));
    const query = { kind, prefix: null, parent: null, names };
    const page = { first: 2 * names.length, after: null };
    const { edges } = await labels.page(context.viewer, query, page, context.signal);
    return edges.map(({ node }) => node);
  };
  const labelOf = async ({ kind, name }: LabelKey): Promise<Label | null> => {
    const read = pages.get(kind) ?? readLabels(kind);
    pages.set(kind, read);
    const found = await read;
    const key = labelKey(name);
    const byName = found.find((one) => labelKey(one.name) === key);
    return byName ?? found.find(({ aliases }) => aliases.some((alias) => labelKey(alias) === key)) ?? null;
  };
  const entityOf = async (key: EntityKey | BadInputError | null): Promise<object | null> => {
    if (key instanceof BadInputError) throw key;
    if (key === null) return null;
    return isLabel(key) ? labelOf(key) : context.cards.load(key.id);
  };
  return keys.map((key) => abortable(entityOf(key), context.signal));
}

function isLabel(key: EntityKey | BadInputError | null): key is LabelKey {
  return key !== null && '__typename' in key && key.__typename === 'Label';
}

/** The schema in the schema language, with the directives of federation, which graphql-js does not print. */
function subgraphText(schema: GraphQLSchema): string {
  const document = visit(parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true }), {
    ObjectTypeDefinition: (node) => {
      const directive = DIRECTIVES[node.name.value];
      return directive === undefined ? undefined : { ...node, directives: directivesOf(directive) };
    },
  });
  return `${LINK}\n\n${print(document)}\n`;
}

function directivesOf(text: string): readonly ConstDirectiveNode[] {
  const [type] = parse(`type T ${text} { f: Int }`, { noLocation: true }).definitions;
  if (type?.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new Error(`${text} is no directive`);
  return (type as ObjectTypeDefinitionNode).directives ?? [];
}

function objectTypeOf(schema: GraphQLSchema, name: string): GraphQLObjectType {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`the schema has no type ${name}`);
  return type;
}
