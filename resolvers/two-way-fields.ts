import type { GraphQLScalarType } from 'graphql';
import { Field } from 'type-graphql';

type GraphQLType = GraphQLScalarType | object;

/** A field of something that clients both send and read. */
interface TwoWayField {
  readonly type: GraphQLType | readonly [GraphQLType];
  /** If it differs from `type`. */
  readonly inputType?: GraphQLType | readonly [GraphQLType];
  readonly description: string;
  /** If it differs from `description`. */
  readonly inputDescription?: string;
  /** Whether it is null in what clients read if there is none; no field must be sent. */
  readonly nullable?: true;
  readonly deprecationReason?: string;
}

/** Adds the fields of the domain's type `T` to the two types of GraphQL. */
export function addTwoWayFields<T>(
  { input, output }: { readonly input: new () => object; readonly output: new () => object },
  fields: Readonly<Record<keyof T & string, TwoWayField>>,
): void {
  for (const [name, field] of Object.entries<TwoWayField>(fields)) {
    const { type, inputType = type, description, inputDescription = description, nullable = false } = field;
    const { deprecationReason } = field;
    Field(() => type as GraphQLScalarType, { nullable, description, deprecationReason })(output.prototype, name);
    Field(() => inputType as GraphQLScalarType, { nullable: true, description: inputDescription, deprecationReason })(
      input.prototype,
      name,
    );
  }
}
