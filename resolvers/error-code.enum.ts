import { registerEnumType } from 'type-graphql';

export const ErrorCodeEnum = {
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  NOT_FOUND: 'NOT_FOUND',
  CONFLICT: 'CONFLICT',
  CURSOR_EXPIRED: 'CURSOR_EXPIRED',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
  FORBIDDEN: 'FORBIDDEN',
  RATE_LIMITED: 'RATE_LIMITED',
  TOO_COMPLEX: 'TOO_COMPLEX',
  UNAVAILABLE: 'UNAVAILABLE',
  RESOURCE_EXHAUSTED: 'RESOURCE_EXHAUSTED',
  DEADLINE_EXCEEDED: 'DEADLINE_EXCEEDED',
  INTERNAL: 'INTERNAL',
} as const;

/** A code of an error during execution, as `extensions.code` has it. */
export type ErrorCode = keyof typeof ErrorCodeEnum;

registerEnumType(ErrorCodeEnum, {
  name: 'ErrorCode',
  description: 'Why something was not done; docs/api.md says what a client should do.',
  valuesConfig: {
    BAD_USER_INPUT: { description: 'A value is not acceptable.' },
    NOT_FOUND: { description: 'It does not exist, or you may not see it.' },
    CONFLICT: { description: 'The card has changed meanwhile, or the id exists already.' },
    CURSOR_EXPIRED: { description: 'The cursor of changes cannot be continued.' },
    UNAUTHENTICATED: { description: 'The credential is missing, unknown or expired.' },
    FORBIDDEN: { description: 'The role or the scope of the credential does not allow it.' },
    RATE_LIMITED: { description: 'There were too many requests.' },
    TOO_COMPLEX: { description: 'Too much was asked for at once.' },
    UNAVAILABLE: { description: 'A part that is needed does not answer.' },
    RESOURCE_EXHAUSTED: { description: 'A part that is needed has no space or memory left.' },
    DEADLINE_EXCEEDED: { description: 'It took too long; a change may have been made.' },
    INTERNAL: { description: 'An error of the gateway.' },
  },
});

/** The code as the enum has it; INTERNAL for one that the API does not promise. */
export function errorCodeOf(code: string): ErrorCode {
  return code in ErrorCodeEnum ? (code as ErrorCode) : 'INTERNAL';
}
