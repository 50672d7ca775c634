import { type GraphQLSchema, Kind, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from 'graphql';
import { asError } from '../../src/domain/errors.js';
import { apiSchema } from '../schema.js';
import { refuseAlwaysCostly } from './complexity.js';
import { asSubgraph } from './federation.js';
import { PARSE_OPTIONS, refuseLargeDocument } from './limits.js';

let subgraph: GraphQLSchema | undefined;

export interface OperationLimits {
  readonly introspection: boolean;
  readonly federation: boolean;
}

/** Why the document can never succeed, for any caller and variables; null if it can. */
export function operationProblem(document: string, limits: OperationLimits): string | null {
  const { federation } = limits;
  try {
    const parsed = parse(document, PARSE_OPTIONS);
    refuseLargeDocument({ query: document }, { ...limits, streams: null });
    const schema = federation ? subgraphSchema() : apiSchema();
    const rules = limits.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const [error] = validate(schema, parsed, rules, { maxErrors: 1 });
    if (error !== undefined) return error.message;
    const operation = parsed.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    if (operation !== undefined) refuseAlwaysCostly({ schema, document: parsed, operation });
    return null;
  } catch (thrown) {
    return asError(thrown).message;
  }
}

/** For validation alone. */
function subgraphSchema(): GraphQLSchema {
  subgraph ??= asSubgraph(apiSchema(), { page: () => Promise.reject(new Error('nothing is executed')) });
  return subgraph;
}
