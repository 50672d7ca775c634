import type { GraphQLScalarType } from 'graphql';
import { ArgsType, Extensions, Field, InputType, ObjectType, registerEnumType } from 'type-graphql';

type DeclaredType = new () => object;

/** A scalar, an enum of `graphqlEnum`, a declared type, or a list of one of them. */
type FieldType = object;

interface FieldOptions {
  readonly deprecationReason?: string;
  /** Of an argument: null counts as absent. Of a field of an input type: its parser must treat null as absent. */
  readonly defaultValue?: unknown;
  /** Of a field that clients send and read, where the two differ. */
  readonly inputType?: FieldType;
  readonly inputDescription?: string;
}

interface DeclaredField extends FieldOptions {
  readonly type: FieldType;
  readonly description: string;
  readonly nullable?: boolean;
}
type RequiredField = DeclaredField & { readonly nullable?: never };
type NullableField = DeclaredField & { readonly nullable: true };
type ComputedOptions = Pick<DeclaredField, 'nullable' | 'deprecationReason'>;
interface ComputedField<T> extends DeclaredField {
  readonly of: (parent: T) => unknown;
}

export type InputFields = Readonly<Record<string, DeclaredField>>;

/** The fields of `T` that clients read: all that are not hidden. One may be null exactly if its value may. */
export type OutputFields<T, Hidden extends keyof T = never> = {
  readonly [Name in Exclude<keyof T & string, Hidden>]-?:
    | ComputedField<T>
    | (T[Name] extends NonNullable<T[Name]> ? RequiredField : NullableField);
};

/** Options of a deprecated field: what to use instead, and since when. */
export function deprecated(use: string, since = '2026-11-23'): { readonly deprecationReason: string } {
  return { deprecationReason: `Use ${use}. Deprecated on ${since}.` };
}

/** A field that always has a value, or that must be sent. */
export function field(type: FieldType, description: string, options: FieldOptions = {}): RequiredField {
  return { type, description, ...options };
}

/** A field that may be null, or that need not be sent. */
export function nullable(type: FieldType, description: string, options: FieldOptions = {}): NullableField {
  return { type, description, nullable: true, ...options };
}

/** A field that is computed from what a resolver has returned. It must be `nullable` if its value may be null. */
export function computed<T, Options extends ComputedOptions = object>(
  type: FieldType,
  description: string,
  of: (parent: T) => Options extends { readonly nullable: true } ? unknown : NonNullable<unknown>,
  options?: Options,
): ComputedField<T> {
  return { type, description, of, ...options };
}

/**
 * Declares the GraphQL type of a `T`: its fields except `Hidden`, and computed ones, which may replace a field of `T`.
 */
export function outputType<T, Hidden extends keyof T = never>(
  name: string,
  description: string,
  fields: OutputFields<T, Hidden>,
  added: Readonly<Record<string, ComputedField<T>>> = {},
): DeclaredType {
  const type = withFields({ ...fields, ...added });
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

/**
 * Declares the two types, each by its name and description, of what clients both send and read. Every field may be
 * omitted in the input; in the output a field is null only if it is `nullable`.
 */
export function twoWayTypes<T>(
  { input, output }: Readonly<Record<'input' | 'output', readonly [name: string, description: string]>>,
  fields: Readonly<Record<keyof T & string, DeclaredField>>,
): Readonly<Record<'input' | 'output', DeclaredType>> {
  const declared = Object.entries<DeclaredField>(fields);
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
function withFields(fields: Readonly<Record<string, DeclaredField | ComputedField<never>>>): DeclaredType {
  const type = class {};
  for (const [name, field] of Object.entries(fields)) {
    const { type: returns, ...options } = field;
    Field(() => returns as GraphQLScalarType, options)(type.prototype, name);
    if ('of' in field) Extensions({ of: field.of })(type.prototype, name);
  }
  return type;
}

/** Of an enum of GraphQL: the value of each name, for type-graphql. */
export type EnumOf<T extends string> = Readonly<Record<string, T>>;

/**
 * Registers an enum of GraphQL: the values of the domain's type `T`, each with its description. Their names
 * are those of {@link enumName}, unless they are named otherwise.
 */
export function graphqlEnum<T extends string>(
  name: string,
  description: string,
  values: Readonly<Record<T, string>>,
  nameOf: (value: string) => string = enumName,
): EnumOf<T> {
  const named = (Object.entries(values) as [T, string][]).map(
    ([value, about]) => [nameOf(value), value, about] as const,
  );
  const type: EnumOf<T> = Object.fromEntries(named.map(([key, value]) => [key, value]));
  const valuesConfig = Object.fromEntries(named.map(([key, , about]) => [key, { description: about }]));
  registerEnumType(type, { name, description, valuesConfig });
  return type;
}

/** The name that a value of the domain has as an enum value of GraphQL: `recallAt10` is RECALL_AT_10. */
function enumName(value: string): string {
  return value.replaceAll(/(?<=[a-z])([A-Z]|\d+)/g, '_$1').toUpperCase();
}
