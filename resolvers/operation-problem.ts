import { type GraphQLSchema, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from 'graphql';
import { asError } from '../src/domain/errors.js';
import { PARSE_OPTIONS, refuseLargeDocument } from './document-guard.js';
import { createSchema } from './schema.js';

let schema: GraphQLSchema | undefined;

/** Why the gateway would never answer this document, whoever asks and with whatever variables; null where it may. */
export function operationProblem(document: string, limits: { readonly introspection: boolean }): string | null {
  try {
    const parsed = parse(document, PARSE_OPTIONS);
    refuseLargeDocument({ query: document }, { ...limits, streams: null });
    schema ??= createSchema([]);
    const rules = limits.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const [error] = validate(schema, parsed, rules, { maxErrors: 1 });
    return error?.message ?? null;
  } catch (thrown) {
    return asError(thrown).message;
  }
}
