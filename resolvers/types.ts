import type { GraphQLScalarType } from 'graphql';
import { ArgsType, Extensions, Field, InputType, ObjectType } from 'type-graphql';

/** A scalar, an enum of `graphqlEnum`, or a type that one of the functions below has declared. */
type GraphQLType = object;
type DeclaredType = new () => object;

interface DeclaredField {
  readonly type: GraphQLType | readonly [GraphQLType];
  readonly description: string;
  readonly deprecationReason?: string;
}

/** A field that clients send. Null counts as absent where there is a `defaultValue`. */
interface InputField extends DeclaredField {
  readonly nullable?: boolean;
  readonly defaultValue?: unknown;
}
export type InputFields = Readonly<Record<string, InputField>>;

/** A field that is computed from what a resolver has returned; see `schema.ts`. */
interface ComputedField<T> extends DeclaredField {
  readonly nullable?: boolean;
  readonly of: (parent: T) => unknown;
}

/** A field that may be null exactly if its value, of the type `V`, may. */
type PlainField<V> = DeclaredField & {
  readonly [Key in 'nullable' as null extends V ? Key : undefined extends V ? Key : never]: true;
} & { readonly of?: never };

/** The fields of `T` that clients read: all that are not hidden. */
export type OutputFields<T, Hidden extends keyof T = never> = {
  readonly [Name in Exclude<keyof T & string, Hidden>]-?: PlainField<T[Name]> | ComputedField<T>;
};

/**
 * Declares the type of GraphQL of a resolver's `T`s: the fields of `T` without hidden ones, and computed ones of other
 * names.
 */
export function outputType<T, Hidden extends keyof T = never>(
  name: string,
  description: string,
  fields: OutputFields<T, Hidden>,
  computed: Readonly<Record<string, ComputedField<T>>> = {},
): DeclaredType {
  const type = withFields({ ...fields, ...computed });
  ObjectType(name, { description, simpleResolvers: true })(type);
  return type;
}

/** Declares an input type. Its values are unknown until they are parsed. */
export function inputType(name: string, description: string, fields: InputFields): DeclaredType {
  const type = withFields(fields);
  InputType(name, { description })(type);
  return type;
}

/** Declares the arguments of a field. Their values are unknown until they are parsed. */
export function argsType<Fields extends InputFields>(
  fields: Fields,
): new () => { readonly [Name in keyof Fields]: unknown } {
  const type = withFields(fields);
  ArgsType()(type);
  return type as ReturnType<typeof argsType<Fields>>;
}

/** A field of something that clients both send and read; `nullable` tells of what they read, no field must be sent. */
interface TwoWayField extends DeclaredField {
  readonly nullable?: true;
  /** If it differs from `type`. */
  readonly inputType?: DeclaredField['type'];
  /** If it differs from `description`. */
  readonly inputDescription?: string;
}

/** Declares the two types, each by its name and description, of what clients both send and read. */
export function twoWayTypes<T>(
  { input, output }: Readonly<Record<'input' | 'output', readonly [name: string, description: string]>>,
  fields: Readonly<Record<keyof T & string, TwoWayField>>,
): Readonly<Record<'input' | 'output', DeclaredType>> {
  const declared = Object.entries<TwoWayField>(fields);
  const read = declared.map(([name, { inputType, inputDescription, ...field }]) => [name, field]);
  const sent = declared.map(([name, { type, description, deprecationReason, ...differing }]) => {
    const { inputType = type, inputDescription = description } = differing;
    return [name, { type: inputType, description: inputDescription, nullable: true, deprecationReason }];
  });
  return {
    output: outputType<object>(...output, Object.fromEntries(read)),
    input: inputType(...input, Object.fromEntries(sent)),
  };
}

/** A class, which is how type-graphql knows a type. */
function withFields(fields: Readonly<Record<string, InputField | ComputedField<never>>>): DeclaredType {
  const type = class {};
  for (const [name, field] of Object.entries(fields)) {
    const { type: returns, ...options } = field;
    Field(() => returns as GraphQLScalarType, options)(type.prototype, name);
    if ('of' in field) Extensions({ of: field.of })(type.prototype, name);
  }
  return type;
}
