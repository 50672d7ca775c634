import type { GraphQLScalarType } from 'graphql';
import { Field } from 'type-graphql';
import { addOutputFields, type OutputField } from './output-fields.js';

/** A field of something that clients both send and read; `nullable` tells of what they read, no field must be sent. */
interface TwoWayField extends OutputField {
  /** If it differs from `type`. */
  readonly inputType?: OutputField['type'];
  /** If it differs from `description`. */
  readonly inputDescription?: string;
}

/** Adds the fields of the domain's type `T` to the two types of GraphQL. */
export function addTwoWayFields<T>(
  { input, output }: { readonly input: new () => object; readonly output: new () => object },
  fields: Readonly<Record<keyof T & string, TwoWayField>>,
): void {
  for (const [name, field] of Object.entries<TwoWayField>(fields)) {
    const { inputType = field.type, inputDescription = field.description, ...read } = field;
    const { deprecationReason } = field;
    addOutputFields<Record<string, unknown>>(output, { [name]: read });
    Field(() => inputType as GraphQLScalarType, { nullable: true, description: inputDescription, deprecationReason })(
      input.prototype,
      name,
    );
  }
}
