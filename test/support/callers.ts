import type { JWTPayload } from 'jose';
import type { Api } from './gateway.js';
import { tokenOf } from './tokens.js';

/** What each of some people asks a gateway with. */
export interface Callers<P extends string> {
  readonly tokens: Readonly<Record<P, string>>;
  readonly as: Readonly<Record<P, Api>>;
}

/** For people by the claims of their tokens, which `makeToken` signs. */
export async function callersOf<P extends string>(
  gateway: Api,
  people: Readonly<Record<P, JWTPayload>>,
  makeToken: (claims: JWTPayload) => Promise<string> = tokenOf,
): Promise<Callers<P>> {
  const tokens = {} as Record<P, string>;
  const as = {} as Record<P, Api>;
  for (const person of Object.keys(people) as P[]) {
    tokens[person] = await makeToken(people[person]);
    as[person] = gateway.as(tokens[person]);
  }
  return { tokens, as };
}
