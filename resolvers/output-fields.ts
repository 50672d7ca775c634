import type { GraphQLScalarType } from 'graphql';
import { Field } from 'type-graphql';

type GraphQLType = GraphQLScalarType | object;

/** A field that clients read. */
export interface OutputField {
  readonly type: GraphQLType | readonly [GraphQLType];
  readonly description: string;
  /** Whether it may be null. */
  readonly nullable?: true;
  readonly deprecationReason?: string;
}

/** Adds the fields of the domain's type `T` to a GraphQL type. The class has no properties: resolvers return a `T`. */
export function addOutputFields<T>(
  type: new () => object,
  fields: Readonly<Record<keyof T & string, OutputField>>,
): void {
  for (const [name, { type: returns, ...options }] of Object.entries<OutputField>(fields)) {
    Field(() => returns as GraphQLScalarType, options)(type.prototype, name);
  }
}
