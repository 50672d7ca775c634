import { type EnumOf, graphqlEnum } from './graphql-enum.js';

export const ErrorCodeEnum = graphqlEnum(
  'ErrorCode',
  'Why an operation failed; docs/api.md describes what a client should do.',
  {
    BAD_USER_INPUT: 'A value is invalid.',
    NOT_FOUND: 'The object does not exist, or you may not see it.',
    CONFLICT: 'The card has changed meanwhile, or the id exists already.',
    CURSOR_EXPIRED: 'The cursor of changes cannot be continued.',
    UNAUTHENTICATED: 'The credential is missing, unknown or expired.',
    FORBIDDEN: 'The role or the scope of the credential does not allow it.',
    RATE_LIMITED: 'There were too many requests.',
    TOO_COMPLEX: 'The operation requests too much at once.',
    UNAVAILABLE: 'A required part does not answer.',
    RESOURCE_EXHAUSTED: 'A required part has run out of space or memory.',
    DEADLINE_EXCEEDED: 'The operation took too long; a change may have been made.',
    INTERNAL: 'An error of the gateway.',
  },
);

/** A code of an error during execution, as `extensions.code` has it. */
export type ErrorCode = typeof ErrorCodeEnum extends EnumOf<infer T> ? T : never;

/** The code as the enum has it; INTERNAL for one that the API does not promise. */
export function errorCodeOf(code: string): ErrorCode {
  return code in ErrorCodeEnum ? (code as ErrorCode) : 'INTERNAL';
}
