import { registerEnumType } from 'type-graphql';

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
