import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
import type { RequestFacts } from '../../src/http/log.js';
import type { Context } from '../context.js';
import { rootFieldsOf } from './document-size.js';

export type CountOperation = (field: string, outcome: string, seconds: number) => void;

/** Counts an operation without fields: it was invalid, or refused as a whole. */
const NO_FIELD = 'none';

/** Records the fields and error codes of each operation for log and metrics, without contents. */
export function requestMeter(count: CountOperation): ApolloServerPlugin<Context> {
  return {
    async requestDidStart() {
      const startedMs = performance.now();
      let fields: readonly string[] = [];
      return {
        async didResolveOperation({ document, operation }) {
          if (operation !== undefined) fields = [...rootFieldsOf(document, operation).keys()];
        },
        async willSendResponse({ response: { body }, contextValue: { facts } }) {
          const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
          const told = errorFacts(errors);
          Object.assign(facts, { fields, ...told } satisfies Partial<RequestFacts>);
          const seconds = (performance.now() - startedMs) / 1_000;
          for (const field of fields.length > 0 ? fields : [NO_FIELD]) count(field, told.codes[0] ?? 'OK', seconds);
        },
      };
    },
  };
}

/** The codes of errors as clients see them, and the ids of internal ones. */
export function errorFacts(errors: readonly GraphQLFormattedError[]): Pick<RequestFacts, 'codes' | 'errorIds'> {
  const texts = (key: string): readonly string[] =>
    errors.flatMap(({ extensions }) => (typeof extensions?.[key] === 'string' ? [extensions[key]] : []));
  return { codes: texts('code'), errorIds: texts('errorId') };
}
